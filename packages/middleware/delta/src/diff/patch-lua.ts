/**
 * `patch` as a Lua function for Redis' scripts (Lua 5.1), so that a server can apply a delta to what it holds:
 * `unikv_patch(base, delta, most)` gives the target, or `nil` and a reason for what `patch` refuses and for a target of
 * more than `most` bytes. Strings are bytes.
 *
 * It does not look at the checksum, which in Lua would take 40 times as long as all else: who calls it makes sure of
 * the base by its version. Nothing is global, no command is called.
 */
export const patchLua = `
local function unikv_patch(base, delta, most)
  local byte, sub = string.byte, string.sub
  local at, size = 2, #delta
  -- -1 for a number that is cut, longer than it needs to be, or not below 2^32
  local function number()
    local value, scale = 0, 1
    for i = 1, 5 do
      local b = byte(delta, at)
      if not b then return -1 end
      at = at + 1
      if b < 128 then
        value = value + b * scale
        if (b == 0 and i > 1) or value >= 4294967296 then return -1 end
        return value
      end
      value = value + (b - 128) * scale
      scale = scale * 128
    end
    return -1
  end
  if byte(delta, 1) ~= 248 then return nil, 'no delta' end
  local left = number()
  local base_size = number()
  if left < 0 or left >= 1073741824 or base_size ~= #base then return nil, 'lengths' end
  if left > most then return nil, 'too large' end
  at = at + 4
  if at - 1 > size then return nil, 'header' end
  local parts, count, place = {}, 0, 0
  local first = true
  while left > 0 do
    local head = number()
    if head < 0 then return nil, 'number' end
    local moved = head % 2
    local length = (head - moved) / 2
    if length > left or length > size - at + 1 then return nil, 'insert' end
    if length > 0 then
      count = count + 1
      parts[count] = sub(delta, at, at + length - 1)
      at = at + length
      left = left - length
      place = place + length
    end
    if left == 0 then
      if moved == 1 or length == 0 then return nil, 'nothing' end
      break
    end
    if moved == 0 and length == 0 and not first then return nil, 'one copy' end
    first = false
    local copied = number() + 4
    if copied < 4 then return nil, 'number' end
    if moved == 1 then
      local zigzag = number()
      if zigzag < 1 then return nil, 'move' end
      if zigzag % 2 == 0 then place = place + zigzag / 2 else place = place - (zigzag + 1) / 2 end
    end
    if copied > left or place < 0 or place + copied > base_size then return nil, 'copy' end
    count = count + 1
    parts[count] = sub(base, place + 1, place + copied)
    place = place + copied
    left = left - copied
  end
  if at ~= size + 1 then return nil, 'end' end
  return table.concat(parts)
end
`
