import type { Result } from 'ioredis';

/**
 * KEYS: one for each window. ARGV: the time; whether to peek; whether to expire early; then limit and milliseconds of
 * each window. Returns whether the call is allowed; then the used calls and the end of each window. The caller's time
 * decides whether a window has ended. The key expires a little later, because other processes' clocks may be behind. If
 * it expires early, the window ends early too.
 *
 * If a window's end is further away than its length, the caller's clock is behind the clock that started the window. If
 * it is behind by up to a minute, as between machines, the window is shortened and its calls still count. If it is
 * behind by more, it was set back, and the window starts again.
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
