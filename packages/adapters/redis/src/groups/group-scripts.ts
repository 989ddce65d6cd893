import type { Script } from '../client/encoded-command.ts'
import { script } from '../server/scripts.ts'

/*
 * A group is two keys: a hash of its records, and a sorted set of their keys, which gives them their order. A field of the hash is a
 * key, and its value the number of the commit that wrote it, a space, and the value. Fields that are not keys: '' has the head (birth,
 * number of commits, time of the last one), and the byte 255 with a place has a late commit: its token, and 1 or 0, whether it took
 * effect. Redis runs a script alone.
 */

/**
 * Commits that a group remembers. One that is further behind is refused when it comes first, and cannot be told when it is sent again: it
 * may have taken effect before those that are remembered.
 */
const keptCommits = 64

const commitFields = Array.from({ length: keptCommits }, (_, place) =>
  Buffer.concat([Buffer.of(255), Buffer.from(String(place))]),
)

/** Field of the commit with a number. */
export function commitField(commits: number): Buffer {
  return commitFields[commits % keptCommits] as Buffer
}

/** Birth and commits of `head`, and functions that check against them and take arguments after `at`. */
const check = `
local birth, commits = string.match(head, '^(%x+) (%d+) ')
birth, commits = birth or '', tonumber(commits or '0')
local function take()
  at = at + 1
  return ARGV[at]
end
local function number(value) return tonumber(string.match(value, '^%d+')) end
local function list(from, to, most) return redis.call('ZRANGEBYLEX', KEYS[2], from, to, 'LIMIT', 0, most) end
local function unchanged(seenBirth, seen)
  local same = birth == seenBirth and commits == seen
  -- A group with fewer commits than were seen is an older state, as after a failover.
  local holds = seenBirth == '' or (seenBirth == birth and commits >= seen)
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
export const stepScript: Script = script(`
local hash, at = KEYS[1], 0
local head = redis.call('HGET', hash, '') or ''
${check}
if take() == '1' and not unchanged(take(), tonumber(take())) then return 'lost' end
local values, keys, found = {}, {}, {}
for i = 1, tonumber(take()) do values[i] = redis.call('HGET', hash, take()) end
if take() == '1' then
  keys = list(take(), take(), take())
  for i = 1, #keys do found[i] = redis.call('HGET', hash, keys[i]) end
end
return { head, values, keys, found }`)

/**
 * The group has moved on since it was read: is the token known, and does the check hold? A token can only be that of a commit since then.
 * A commit that is sent again is judged only if every commit since then is remembered, and if it has not found the group absent: then the group may have been
 * made by it, forgotten, and made by others. If it is refused, that is remembered too, so that the first of
 * the two cannot come late.
 */
const moved = `
  local at = 6 + 3 * tonumber(ARGV[6])
  ${check}
  local seenBirth, seen = string.match(ARGV[2], '^(%x+) (%d+) ')
  seenBirth, seen = seenBirth or '', tonumber(seen or '0')
  for n = math.max(commits - ${keptCommits - 1}, birth == seenBirth and seen + 1 or 1), commits do
    local kept = redis.call('HGET', hash, '\\255' .. n % ${keptCommits})
    if kept and string.sub(kept, 1, -2) == token then return string.sub(kept, -1) end
  end
  if birth == token then return '1' end
  local isRemembered = (seenBirth == '' or birth == seenBirth) and commits >= seen and commits - seen <= ${keptCommits}
  local holds = unchanged(seenBirth, seen) and isRemembered
  if isAgain and (seenBirth == '' or not isRemembered) then return '?' end
  if not holds and not isAgain then return '0' end
  prefix, field = string.format('%.0f ', commits + 1), '\\255' .. (commits + 1) % ${keptCommits}
  next = birth .. ' ' .. prefix .. string.match(next, '%d+$')
  if not holds then
    redis.call('HSET', hash, '', next, field, token .. '0')
    return '0'
  end
`

/**
 * Check and change. ARGV: token; the head that was seen, without its time; for a group that is still there, its next head, the field
 * of this commit; how many changes, and for each key, `1` to set or `0` to remove, and value; the check; whether
 * it is sent again (`1`). Removals come last: where the memory is full, the server refuses a script whose first change
 * needs some, and a group can only become smaller. Answers `1`, `0` for a conflict, or `?` if it cannot be told whether an earlier sending took effect. A token
 * that is known is answered as before.
 */
export const commitScript: Script = script(`
local hash, token, seen, next, field = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local prefix = ARGV[5]
local head = redis.call('HGET', hash, '') or ''
local isAgain = ARGV[#ARGV] == '1'
if (seen == '') ~= (head == '') or string.sub(head, 1, #seen) ~= seen or (seen == '' and isAgain) then
${moved}
end
for at = 7, 4 + 3 * tonumber(ARGV[6]), 3 do
  local key = ARGV[at]
  if ARGV[at + 1] == '1' then
    if redis.call('HSET', hash, key, prefix .. ARGV[at + 2]) == 1 then redis.call('ZADD', KEYS[2], 0, key) end
  elseif redis.call('HDEL', hash, key) == 1 then
    redis.call('ZREM', KEYS[2], key)
  end
end
redis.call('HSET', hash, '', next, field, token .. '1')
return '1'`)

/** Remove a group without records whose last commit is older than ARGV[1]. Answers whether it did. */
export const forgetScript: Script = script(`
local head = redis.call('HGET', KEYS[1], '')
if not head or redis.call('ZCARD', KEYS[2]) > 0 then return 0 end
if tonumber(string.match(head, '(%d+)$')) >= tonumber(ARGV[1]) then return 0 end
redis.call('UNLINK', KEYS[1], KEYS[2])
return 1`)
