import type { Bytes, Mutation, SetMutation, ValueDelta } from '@unikv/core'
import { encodeRecord } from '@unikv/core/adapter'
import { condition, type Script, script } from './redis-scripts.ts'
import { millisecond } from './redis-sets.ts'

/*
 * Sets that travel as deltas (docs/reference/delta-format.md). Lua walks through the instructions: where nothing moves it
 * writes over what changed, which costs what changed; otherwise it puts the whole value together, which costs several times
 * what a plain SET does and stops the server meanwhile. So both are bounded here.
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
if number() + 20 ~= redis.call('STRLEN', key) then return redis.error_reply('CORRUPT not the base of this delta') end
at = at + 4

local record = ARGV[2]
if ARGV[3] == 'keep' then record = sub(record, 1, 14) .. sub(header, 15, 20) end
local isInPlace = ARGV[5] == '1'
local base = not isInPlace and redis.call('GET', key)
local parts, n, from, left = { record }, 1, 21, length
while left > 0 do
  local head = number()
  local moved = head % 2
  local inserted = (head - moved) / 2
  if inserted > 0 then
    local bytes = sub(delta, at, at + inserted - 1)
    if isInPlace then
      redis.call('SETRANGE', key, from - 1, bytes)
    else
      n = n + 1
      parts[n] = bytes
    end
    at = at + inserted
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
      parts[n] = sub(base, from, from + copied - 1)
    end
    from = from + copied
    left = left - copied
  end
end
if base then
  redis.call('SET', key, table.concat(parts), 'KEEPTTL')
else
  redis.call('SETRANGE', key, 0, record)
end
if ARGV[3] == '' then
  redis.call('PERSIST', key)
elseif ARGV[3] ~= 'keep' then
  redis.call('PEXPIREAT', key, ARGV[3])
end
return {}`)

type DeltaSet = SetMutation<Bytes> & { readonly delta: ValueDelta }

/** Whether a mutation is sent as its delta. */
export function isDeltaSet(mutation: Mutation<Bytes>): mutation is DeltaSet {
  if (mutation.type !== 'set' || mutation.delta === undefined || typeof mutation.ifVersion !== 'string')
    return false
  const { value, delta } = mutation
  if (delta.of !== value || delta.bytes.length > maxDeltaBytes) return false
  return delta.inPlace || value.length <= maxRebuiltBytes
}

/** The script of such a set, with its arguments after the condition. */
export function deltaScriptOf({
  version,
  expiresAt,
  delta,
}: DeltaSet): readonly [Script, readonly (string | Buffer)[]] {
  const header = encodeRecord(noBody, version, expiresAt === 'keep' ? undefined : expiresAt)
  const expiry = expiresAt === 'keep' ? expiresAt : millisecond(expiresAt)
  return [setDeltaScript, [header, expiry, Buffer.from(delta.bytes), delta.inPlace ? '1' : '0']]
}

const noBody = new Uint8Array()
