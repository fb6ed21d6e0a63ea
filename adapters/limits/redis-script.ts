import type { Result } from 'ioredis';

/**
 * Counts one or more calls, one after another. KEYS: one for each window of each call. ARGV: the time; then for each
 * call its number of windows, whether to peek, whether to expire early, and the limit and milliseconds of each window.
 * Returns for each call whether it is allowed, and then the used calls and the end of each window.
 *
 * The caller's time decides whether a window has ended. The key expires a little later, because other processes' clocks
 * may be behind. If it expires early, the window ends early too.
 *
 * If a window's end is further away than its length, the caller's clock is behind the clock that started the window. If
 * it is behind by up to a minute, as between machines, the window is shortened and its calls still count. If it is
 * behind by more, it was set back, and the window starts again.
 */
export const countCalls = `
local now, answer, at, place = tonumber(ARGV[1]), {}, 1, 0
while ARGV[at + 1] do
  local size, counts, early = tonumber(ARGV[at + 1]), ARGV[at + 2] == '0', ARGV[at + 3] == '1'
  local allowed, windows = 1, {}
  at = at + 3
  for n = 1, size do
    local key, limit, length = KEYS[place + n], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
    at = at + 2
    local kept = redis.call('HMGET', key, 'used', 'reset')
    local window = { key = key, limit = limit, length = length, used = tonumber(kept[1]), reset = tonumber(kept[2]) }
    local longest = now + length
    if window.used and window.reset and window.reset > longest and window.reset <= longest + 60000 then
      window.reset = longest
      if counts then redis.call('HSET', key, 'reset', string.format('%.0f', longest)) end
    end
    if not (window.used and window.reset and window.reset > now and window.reset <= longest) then
      window.used, window.reset, window.isNew = 0, now + length, true
    end
    if window.used >= limit then allowed = 0 end
    windows[n] = window
  end
  place = place + size
  if allowed == 1 and counts then
    for _, window in ipairs(windows) do
      window.used = window.used + 1
      if window.isNew then
        redis.call('HSET', window.key, 'used', 1, 'reset', string.format('%.0f', window.reset))
      else
        redis.call('HINCRBY', window.key, 'used', 1)
      end
      local forgets = early and window.length > 60000
      if window.isNew or forgets then
        local life = window.reset - now
        if forgets then life = math.min(life, math.max(60000, window.used * window.length / window.limit)) end
        redis.call('PEXPIRE', window.key, string.format('%.0f', life + 10000))
      end
    end
  end
  table.insert(answer, allowed)
  for _, window in ipairs(windows) do
    table.insert(answer, window.used)
    table.insert(answer, window.reset)
  end
end
return answer
`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    countCalls(keys: number, ...args: (string | number)[]): Result<number[], Context>;
  }
}
