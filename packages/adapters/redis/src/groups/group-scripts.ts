import { type Script, script } from '../server/scripts.ts'

/*
 * A group is two keys: a hash of its records, and a sorted set of their keys, which gives them their order. A field of the hash is a
 * key, and its value the number of the commit that wrote it, a space, and the value. Two fields are not keys: '' has the head (birth,
 * number of commits, time of the last one), and the byte 255 the last commits: for each 8 bytes of its token, and 1 or 0, whether
 * it took effect. Redis runs a script alone.
 */

/** Commits that a group remembers; one that is further behind is refused, as it may be an old one that comes late. */
const keptCommits = 64

/** Reads the head, and defines what both scripts do. */
const shared = `
local hash, order = KEYS[1], KEYS[2]
local at = 0
local function take()
  at = at + 1
  return ARGV[at]
end
local head = redis.call('HGET', hash, '') or ''
local birth, commits = string.match(head, '^(%x+) (%d+) ')
birth, commits = birth or '', tonumber(commits or '0')
local function number(value) return tonumber(string.match(value, '^%d+')) end
local function list(from, to, most) return redis.call('ZRANGEBYLEX', order, from, to, 'LIMIT', 0, most) end
local function unchanged(seenBirth, seen)
  local same = birth == seenBirth and commits == seen
  local holds = seenBirth == '' or seenBirth == birth
  for _ = 1, tonumber(take()) do
    local key, there = take(), take() == '1'
    if holds and not same then
      local value = redis.call('HGET', hash, key)
      if value then holds = there and number(value) <= seen else holds = not there end
    end
  end
  for _ = 1, tonumber(take()) do
    local from, to, most, count, last = take(), take(), take(), tonumber(take()), take()
    if holds and not same then
      local keys = list(from, to, most)
      holds = #keys == count and (count == 0 or keys[count] == last)
      for i = 1, #keys do holds = holds and number(redis.call('HGET', hash, keys[i])) <= seen end
    end
  end
  return holds
end
`

/**
 * Check and read. ARGV: whether there is a check (`1`), the check; how many keys, each; whether there is a range (`1`), from, to, most.
 * Answers the head, values, and keys and values of the range; or `lost`.
 */
export const stepScript: Script = script(`${shared}
if take() == '1' and not unchanged(take(), tonumber(take())) then return 'lost' end
local values, keys, found = {}, {}, {}
for i = 1, tonumber(take()) do values[i] = redis.call('HGET', hash, take()) end
if take() == '1' then
  keys = list(take(), take(), take())
  for i = 1, #keys do found[i] = redis.call('HGET', hash, keys[i]) end
end
return { head, values, keys, found }`)

/**
 * Check and change. ARGV: token, time, whether it is sent again (`1`), birth and commits that were seen, the check; how many changes, and for
 * each key, `1` to set or `0` to remove, and value. Answers `1`, or `0` for a conflict. A token that is known is answered as
 * before. One that is sent again and refused is remembered, so that the first of the two cannot come late.
 */
export const commitScript: Script = script(`${shared}
local token, now, again, seenBirth, seen = take(), take(), take() == '1', take(), tonumber(take())
local last = redis.call('HGET', hash, '\\255') or ''
local place = string.find(last, token, 1, true)
while place and place % 9 ~= 1 do place = string.find(last, token, place + 1, true) end
if place then return string.sub(last, place + 8, place + 8) end
local holds = unchanged(seenBirth, seen) and commits - seen <= ${keptCommits}
if not holds and not again then return '0' end
if birth == '' then
  for i = 1, #token do birth = birth .. string.format('%02x', string.byte(token, i)) end
end
commits = commits + 1
redis.call('HSET', hash, '', string.format('%s %.0f %s', birth, commits, now),
  '\\255', string.sub(token .. (holds and '1' or '0') .. last, 1, 9 * ${keptCommits}))
if not holds then return '0' end
local prefix = string.format('%.0f ', commits)
for _ = 1, tonumber(take()) do
  local key, op, value = take(), take(), take()
  if op == '1' then
    if redis.call('HSET', hash, key, prefix .. value) == 1 then redis.call('ZADD', order, 0, key) end
  elseif redis.call('HDEL', hash, key) == 1 then
    redis.call('ZREM', order, key)
  end
end
return '1'`)

/** Remove a group without records whose last commit is older than ARGV[1]. Answers whether it did. */
export const forgetScript: Script = script(`
local head = redis.call('HGET', KEYS[1], '')
if not head or redis.call('ZCARD', KEYS[2]) > 0 then return 0 end
if tonumber(string.match(head, '(%d+)$')) >= tonumber(ARGV[1]) then return 0 end
redis.call('UNLINK', KEYS[1], KEYS[2])
return 1`)
