import type { Bytes, SetMutation } from '@unikv/core'
import { encodeRecord, valueDelta } from '@unikv/core/adapter'
import type { Script } from '../client/encoded-command.ts'
import { condition, millisecond, script } from './scripts.ts'

/*
 * Sets that travel as deltas (docs/reference/delta-format.md). Lua walks through the instructions: where nothing moves it
 * writes over what changed, which costs what changed; otherwise it puts the whole value together, which costs several times
 * as much as a plain SET, and the server does nothing else meanwhile. So both have a limit here. Nothing is written before all was read:
 * bytes that are not a delta of this value change nothing.
 */

/** Longest delta that the server walks through: some thousand instructions, a millisecond. */
const maxDeltaBytes = 4096

/** Longest value that the server puts together anew. */
const maxRebuiltBytes = 65_536

/** ARGV: condition, record header, expiry (as for a set), delta, whether it is in place. */
const setDeltaScript: Script = script(`${condition}
if not there then return version end
local delta, at, sub, byte = ARGV[4], 2, string.sub, string.byte
local function number()
  local digit, value, unit = byte(delta, at), 0, 1
  at = at + 1
  while digit > 127 do
    value = value + (digit - 128) * unit
    unit = unit * 128
    digit = byte(delta, at)
    at = at + 1
  end
  return value + digit * unit
end
local length = number()
local baseLength = number()
if baseLength + 20 ~= redis.call('STRLEN', key) then return redis.error_reply('CORRUPT not the base of this delta') end
at = at + 4

local record = ARGV[2]
if ARGV[3] == 'keep' then record = sub(record, 1, 14) .. sub(header, 15, 20) end
local isInPlace = ARGV[5] == '1'
if isInPlace and length < baseLength then return redis.error_reply('CORRUPT a delta that cuts off') end
local base = not isInPlace and redis.call('GET', key)
local parts, places, n, to, from, left = {}, {}, 0, 20, 20, length
while left > 0 do
  local head = number()
  local moved = head % 2
  local inserted = (head - moved) / 2
  if inserted > 0 then
    n = n + 1
    parts[n] = sub(delta, at, at + inserted - 1)
    places[n] = to
    at = at + inserted
    to = to + inserted
    left = left - inserted
  end
  from = from + inserted
  if left > 0 then
    local copied = number() + 4
    if moved == 1 then
      local move = number()
      from = from + (move % 2 == 0 and move / 2 or -(move + 1) / 2)
    end
    if base then
      n = n + 1
      parts[n] = sub(base, from + 1, from + copied)
    elseif from ~= to then
      return redis.error_reply('CORRUPT a delta that moves')
    end
    from = from + copied
    to = to + copied
    left = left - copied
  end
end
local value = base and table.concat(parts)
if left < 0 or at ~= #delta + 1 or base and #value ~= length then return redis.error_reply('CORRUPT no delta') end

if base then
  redis.call('SET', key, record .. value, 'KEEPTTL')
else
  for i, place in ipairs(places) do redis.call('SETRANGE', key, place, parts[i]) end
  redis.call('SETRANGE', key, 0, record)
end
if ARGV[3] == '' then
  redis.call('PERSIST', key)
elseif ARGV[3] ~= 'keep' then
  redis.call('PEXPIREAT', key, ARGV[3])
end
return { sub(ARGV[2], 3, 14) }`)

/** The script of a set that is sent as its delta, with its arguments after the condition; `undefined`: it is not. */
export function deltaScriptOf({
  value,
  version,
  expiresAt,
  ifVersion,
  facts,
}: SetMutation<Bytes>): readonly [Script, readonly (string | Buffer)[]] | undefined {
  const delta = valueDelta.of(facts)
  if (typeof ifVersion !== 'string' || delta?.of !== value || delta.bytes.length > maxDeltaBytes)
    return undefined
  if (!delta.inPlace && value.length > maxRebuiltBytes) return undefined
  const header = encodeRecord(noBody, version, expiresAt === 'keep' ? undefined : expiresAt)
  return [
    setDeltaScript,
    [header, millisecond(expiresAt), Buffer.from(delta.bytes), delta.inPlace ? '1' : '0'],
  ]
}

const noBody = new Uint8Array()
