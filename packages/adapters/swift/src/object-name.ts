/*
 * Objects are named by prefix, `/` and the canonical key, of which bytes that proxies, paths or Swift would not leave alone
 * (controls, blanks, `.`, `/`, `~`, all above ASCII) are a lead and two hexadecimal digits. Leads lie where their bytes lie,
 * no code begins another, and the rest stands for itself: so names keep the order of keys, and no two keys meet.
 */

/** Longest name of an object in bytes, as Swift has it by default. */
export const maxNameBytes = 1_024

/** Bytes that one byte of a key may take in a name. */
export const bytesPerByte = 3

/** The form of each byte in a name. */
const codes: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const lead = leadOf(byte)
  return lead === '' ? String.fromCharCode(byte) : lead + byte.toString(16).padStart(2, '0')
})

/** The name of a key, or of the beginning of one, below the prefix. */
export function encodeName(key: string): string {
  let name = ''
  for (const byte of Buffer.from(key)) name += codes[byte]
  return name
}

/** The key of a name below the prefix; `undefined` if it is none of ours. */
export function decodeName(name: string): string | undefined {
  const bytes = Buffer.from(
    name.replace(/[!.~]([0-9a-f]{2})/g, (_, hex: string) => unit(hex)),
    'latin1',
  )
  const key = bytes.toString()
  return key !== '' && encodeName(key) === name ? key : undefined
}

/** A name below every name that begins with `name`, and above all others that are below: markers are exclusive. */
export function justBelow(name: string): string {
  const last = name.charCodeAt(name.length - 1)
  return `${name.slice(0, -1)}${String.fromCharCode(last - 1)}\u{10ffff}`
}

/** A name above every name that begins with `name`, and below all others that are above. */
export function behind(name: string): string {
  return `${name}\u{10ffff}`
}

function leadOf(byte: number): '!' | '.' | '~' | '' {
  if (byte <= 0x21) return '!'
  if (byte >= 0x7e) return '~'
  return byte === 0x2e || byte === 0x2f ? '.' : ''
}

function unit(hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16))
}
