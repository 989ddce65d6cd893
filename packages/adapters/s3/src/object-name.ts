/*
 * The name of an object: the canonical key, byte by byte, in characters that no server, proxy or file system takes for
 * anything else: no `/`, no `.` or `..` that stands alone, no control character, nothing beyond ASCII.
 *
 *   00 … 2C  !hh     hexadecimal digits in upper case
 *   2D       -
 *   2E, 2F   .0, .1  so that no name is a path
 *   30 … 3A  0 … 9 :
 *   3B … 40  ;0 … ;5
 *   41 … 59  A … Y
 *   5A … 5E  Z0 … Z4
 *   5F … 7A  _ ` a … z
 *   7B … FF  ~hh
 *
 * A name goes on in a folder after each 240 characters (`-/`), as file systems end at 255: there `-` is the name of the
 * folder, so that none is called like an object.
 *
 * No code is the start of another and codes are in the order of their bytes: names are distinct, a prefix of a key is
 * a prefix of its name, and servers, which list by bytes, list in the order of keys.
 */

/** Longest key whose name has at most 974 characters, in bytes: S3 takes 1,024, of which the prefix may have 50. */
export const maxKeyBytes = 320

const folderCharacters = 240
const runs: readonly (readonly [from: number, to: number, lead: string])[] = [
  [0x2e, 0x2f, '.'],
  [0x3b, 0x40, ';'],
  [0x5a, 0x5e, 'Z'],
]

const codes: readonly string[] = Array.from({ length: 256 }, (_, byte) => codeOf(byte))
const bytes: ReadonlyMap<string, number> = new Map(codes.map((code, byte) => [code, byte]))

/** The name of a key, or the start of all names of a prefix. */
export function encodeName(key: string): string {
  let name = ''
  for (const byte of Buffer.from(key, 'utf8')) name += codes[byte]
  if (name.length <= folderCharacters) return name
  const parts: string[] = []
  for (let at = 0; at < name.length; at += folderCharacters) parts.push(name.slice(at, at + folderCharacters))
  return parts.join('-/')
}

/** The key of a name; `undefined` if the name is not one of ours. */
export function decodeName(name: string): string | undefined {
  const found: number[] = []
  const whole = name.replaceAll('-/', '')
  for (let at = 0; at < whole.length; ) {
    const code = whole.slice(at, at + lengthOf(whole[at] as string))
    const byte = bytes.get(code)
    if (byte === undefined) return undefined
    found.push(byte)
    at += code.length
  }
  const key = Buffer.from(found).toString('utf8')
  return key !== '' && encodeName(key) === name ? key : undefined
}

/** A string after all names before this one, and before this one: lists begin after a string, not at one. */
export function justBefore(name: string): string {
  const last = name.charCodeAt(name.length - 1)
  // No name has `~~`, and none has a character above `~`.
  return `${name.slice(0, -1)}${String.fromCharCode(last - 1)}~~`
}

function codeOf(byte: number): string {
  const run = runs.find(([from, to]) => byte >= from && byte <= to)
  if (run !== undefined) return `${run[2]}${byte - run[0]}`
  if (byte >= 0x2d && byte <= 0x7a) return String.fromCharCode(byte)
  return `${byte < 0x2d ? '!' : '~'}${byte.toString(16).toUpperCase().padStart(2, '0')}`
}

function lengthOf(lead: string): number {
  if (lead === '!' || lead === '~') return 3
  return runs.some(([, , one]) => one === lead) ? 2 : 1
}
