import { createHash } from 'node:crypto'
import type { Version } from '@unikv/core'
import { versionBytes } from '@unikv/core/adapter'
import type { Script } from '../client/encoded-command.ts'

/*
 * Scripts that the server runs in one atomic step. Offsets are those of core's record header: version in bytes 2 to 13,
 * expiry in bytes 14 to 19, body from byte 20. Redis runs a script alone and with its clock stopped.
 */

/** Stands for *no condition*, and for *header only* in reads: no version has one byte. */
export const anyVersion = '*'

/**
 * Sets `there`, `header` and `version` (`''`: absent) of the one key; answers the version as a string if the
 * condition ARGV[1] (`*`, `''` for absent, or 12 bytes) does not hold. Success is an array that begins with the version
 * of the mutation, which no other reply can hold.
 */
export const condition: string = `
local key = KEYS[1]
local header = redis.call('GETRANGE', key, 0, 19)
local there = header ~= '' or redis.call('EXISTS', key) == 1
if there and (#header < 20 or string.sub(header, 1, 2) ~= '\\213\\1') then
  return redis.error_reply('CORRUPT not a record')
end
local version = there and string.sub(header, 3, 14) or ''
if ARGV[1] ~= '${anyVersion}' and ARGV[1] ~= version then return version end
`

/** ARGV: condition, record, expiry (milliseconds, `''` for never, or `keep`). */
export const setScript: Script = script(`${condition}
if ARGV[3] == 'keep' then
  redis.call('SET', key, ARGV[2], 'KEEPTTL')
  if there then redis.call('SETRANGE', key, 14, string.sub(header, 15, 20)) end
elseif ARGV[3] == '' then
  redis.call('SET', key, ARGV[2])
else
  redis.call('SET', key, ARGV[2], 'PXAT', ARGV[3])
end
return { string.sub(ARGV[2], 3, 14) }`)

/** ARGV: condition, the version of the mutation. */
export const deleteScript: Script = script(`${condition}
if there then redis.call('UNLINK', key) end
return { ARGV[2] }`)

/**
 * ARGV: condition, the 6 bytes of the expiry, the same in milliseconds (`''`: never), the version of the mutation.
 * Answers the version of the record, too.
 */
export const touchScript: Script = script(`${condition}
if not there then return version end
redis.call('SETRANGE', key, 14, ARGV[2])
if ARGV[3] == '' then redis.call('PERSIST', key) else redis.call('PEXPIREAT', key, ARGV[3]) end
return { ARGV[4], version }`)

/**
 * ARGV: condition, by, initial, the record header of a new counter, its expiry (milliseconds, `''`: never).
 * Answers the new number, and the 6 bytes of the expiry. Lua's numbers are doubles, exact for safe integers, as in JavaScript.
 */
export const incrementScript: Script = script(`${condition}
local number = tonumber(ARGV[3])
if there then
  local text = redis.call('GETRANGE', key, 20, 37)
  number = (text == '0' or string.match(text, '^%-?[1-9]%d*$')) and #text < 18 and tonumber(text)
  if not number or math.abs(number) > 9007199254740991 then return redis.error_reply('NOCOUNTER no number') end
end
number = number + tonumber(ARGV[2])
if math.abs(number) > 9007199254740991 then return redis.error_reply('OUTOFRANGE not safe') end
local text = string.format('%.0f', number)
local expiry = string.sub(there and header or ARGV[4], 15, 20)
if there then
  redis.call('SET', key, string.sub(ARGV[4], 1, 14) .. expiry .. text, 'KEEPTTL')
elseif ARGV[5] == '' then
  redis.call('SET', key, ARGV[4] .. text)
else
  redis.call('SET', key, ARGV[4] .. text, 'PXAT', ARGV[5])
end
return { string.sub(ARGV[4], 3, 14), text, expiry }`)

/**
 * Changes that are done together, or none. KEYS; ARGV: for each the condition (`''` for absent, or 12 bytes), the record (`''`: it is removed,
 * `*`: it is only looked at) and its expiry as for a set. Answers `1`, or `0` where a condition does not hold.
 */
export const togetherScript: Script = script(`
local headers = {}
for i, key in ipairs(KEYS) do
  local header = redis.call('GETRANGE', key, 0, 19)
  local there = header ~= '' or redis.call('EXISTS', key) == 1
  if there and (#header < 20 or string.sub(header, 1, 2) ~= '\\213\\1') then
    return redis.error_reply('CORRUPT not a record')
  end
  if ARGV[3 * i - 2] ~= (there and string.sub(header, 3, 14) or '') then return '0' end
  headers[i] = header
end
for i, key in ipairs(KEYS) do
  local record, expiry = ARGV[3 * i - 1], ARGV[3 * i]
  if record == '' then
    redis.call('UNLINK', key)
  elseif record ~= '${anyVersion}' then
    if expiry == 'keep' then
      redis.call('SET', key, record, 'KEEPTTL')
      if headers[i] ~= '' then redis.call('SETRANGE', key, 14, string.sub(headers[i], 15, 20)) end
    elseif expiry == '' then
      redis.call('SET', key, record)
    else
      redis.call('SET', key, record, 'PXAT', expiry)
    end
  end
end
return '1'`)

/** Many deletes. KEYS; ARGV: the version of the first. Answers it, and a digit for each key: whether there was a record. */
export const deleteManyScript: Script = script(`
local found = {}
for i, key in ipairs(KEYS) do found[i] = redis.call('UNLINK', key) end
return { ARGV[1], table.concat(found) }`)

/** Many sets with expiry. KEYS; ARGV: record and expiry of each. Answers the first version. MSET knows no expiry. */
export const setExpiringScript: Script = script(`
for i, key in ipairs(KEYS) do redis.call('SET', key, ARGV[2 * i - 1], 'PXAT', ARGV[2 * i]) end
return { string.sub(ARGV[1], 3, 14) }`)

/**
 * KEYS; ARGV: for each the version that is known (12 bytes), or `*` for the header alone. Answers for each the
 * header if the version is that one, else the record; nil for an absent key; `''`, which is not a record, for a
 * value of another type. Any other refusal, such as a missing permission, is the answer to the whole command.
 */
export const readScript: Script = script(`
local replies = {}
for i, key in ipairs(KEYS) do
  local header = redis.pcall('GETRANGE', key, 0, 19)
  if type(header) == 'table' then
    if not string.find(header.err, 'WRONGTYPE', 1, true) then return header end
    replies[i] = ''
  elseif header == '' then
    replies[i] = redis.call('EXISTS', key) == 1 and ''
  elseif ARGV[i] == '${anyVersion}' or ARGV[i] == string.sub(header, 3, 14) then
    replies[i] = header
  else
    replies[i] = redis.call('GET', key)
  end
end
return replies`)

/** A script with the name that servers know it by. */
export function script(lua: string): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}

/** As the record header has it: whole, and never 0, which Redis refuses. `''`: never. */
export function millisecond(expiresAt: number | 'keep' | undefined): string {
  return typeof expiresAt === 'number' ? String(Math.max(1, Math.floor(expiresAt))) : (expiresAt ?? '')
}

/** The condition that a mutation asks for: the version that has to be there, or none (`null`). */
export function conditionOf(version: Version | null | undefined): string | Buffer {
  if (version === undefined) return anyVersion
  return version === null ? '' : versionBytes(version)
}
