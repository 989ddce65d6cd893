import { script } from '../server/scripts.ts'

/*
 * Commands travel as JSON, which holds text alone, and records are bytes. So bytes travel as text with a character from 0 to 255
 * for each, which is two bytes of UTF-8 from 128 on. A script on the server makes bytes of them again.
 */

/** Stands before a script. The last of ARGV is a digit for each of the others: whether it stands for bytes. */
const prelude = `
local bytes = {}
for i = 128, 255 do bytes[string.char(192 + math.floor(i / 64), 128 + i % 64)] = string.char(i) end
local marks = table.remove(ARGV)
for i = 1, #ARGV do
  if string.byte(marks, i) == 49 then ARGV[i] = string.gsub(ARGV[i], '[\\194\\195][\\128-\\191]', bytes) end
end
`

/** Sets one key. ARGV: the record, and the options of SET. */
export const setLua = `return redis.call('SET', KEYS[1], unpack(ARGV))`

/** Sets many keys to the record of the same place in ARGV. */
export const setManyLua = `
local pairs = {}
for i, key in ipairs(KEYS) do
  pairs[2 * i - 1] = key
  pairs[2 * i] = ARGV[i]
end
return redis.call('MSET', unpack(pairs))`

/** A script that takes its bytes as text. */
export function takingText(lua: string): { readonly lua: string; readonly sha: string } {
  return script(prelude + lua)
}

/** Arguments of such a script, with what the last one tells. */
export function textArguments(args: readonly (string | Buffer)[]): readonly string[] {
  const marks = args.map((arg) => (typeof arg === 'string' ? '0' : '1')).join('')
  return [...args.map((arg) => (typeof arg === 'string' ? arg : arg.toString('latin1'))), marks]
}
