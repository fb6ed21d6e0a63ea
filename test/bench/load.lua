-- wrk sends the requests of a file in order and repeats them. Character 30 separates them.
-- Finally it prints one line of JSON: an `Outcome` of generators.ts.

local requests, count, place = {}, 0, 0
local asker

-- wrk runs `setup` and `done` outside the threads that send requests. They can read only global variables of a thread.
function setup(thread)
  asker = thread
end

function init(arguments)
  local file = assert(io.open(arguments[1], 'rb'))
  for request in file:read('*a'):gmatch('[^\30]+') do
    count = count + 1
    requests[count] = request
  end
  file:close()
  began = os.clock()
end

-- Before the load, wrk asks for a request that it only looks at and does not send.
local isLoad = false

function request()
  if not isLoad then
    isLoad = true
    return requests[1]
  end
  place = place % count + 1
  return requests[place]
end

-- wrk counts in microseconds. `os.clock` is the processor time of the whole process.
function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    '{"seconds":%f,"answers":%d,"refused":%d,"broken":%d,"p50":%f,"p99":%f,"cpu":%f}',
    summary.duration / 1e6, summary.requests, errors.status, errors.connect + errors.read + errors.write,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, os.clock() - asker:get('began')
  ))
end
