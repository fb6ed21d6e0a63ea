import type { Result } from 'ioredis';

/**
 * KEYS: one for each window. ARGV: the time; whether to peek; whether to forget early; then limit and milliseconds of each
 * window. Answers whether the call is allowed; then used and end of each window. A key outlives its window a little, for
 * processes whose clocks are behind. The caller's time ends a window, never the key's expiry, unless the key is forgotten early.
 *
 * Where a window ends later than it is long, the caller's clock was behind the one that started it. By up to a minute, as among
 * several machines, it is shortened and its calls still count. By more, the clock was set back: it starts anew.
 */
export const countCall = `
local now, allowed, windows = tonumber(ARGV[1]), 1, {}
for n, key in ipairs(KEYS) do
  local limit, length = tonumber(ARGV[2 * n + 2]), tonumber(ARGV[2 * n + 3])
  local kept = redis.call('HMGET', key, 'used', 'reset')
  local window = { key = key, limit = limit, length = length, used = tonumber(kept[1]), reset = tonumber(kept[2]) }
  local longest = now + length
  if window.used and window.reset and window.reset > longest and window.reset <= longest + 60000 then
    window.reset = longest
    if ARGV[2] == '0' then redis.call('HSET', key, 'reset', string.format('%.0f', longest)) end
  end
  if not (window.used and window.reset and window.reset > now and window.reset <= longest) then
    window.used, window.reset, window.isNew = 0, now + length, true
  end
  if window.used >= limit then allowed = 0 end
  windows[n] = window
end
if allowed == 1 and ARGV[2] == '0' then
  for _, window in ipairs(windows) do
    window.used = window.used + 1
    if window.isNew then
      redis.call('HSET', window.key, 'used', 1, 'reset', string.format('%.0f', window.reset))
    else
      redis.call('HINCRBY', window.key, 'used', 1)
    end
    local forgets = ARGV[3] == '1' and window.length > 60000
    if window.isNew or forgets then
      local life = window.reset - now
      if forgets then life = math.min(life, math.max(60000, window.used * window.length / window.limit)) end
      redis.call('PEXPIRE', window.key, string.format('%.0f', life + 10000))
    end
  end
end
local answer = { allowed }
for _, window in ipairs(windows) do
  table.insert(answer, window.used)
  table.insert(answer, window.reset)
end
return answer
`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    countCall(keys: number, ...args: (string | number)[]): Result<number[], Context>;
  }
}
