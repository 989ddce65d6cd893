/** Bytes as they came in an answer. */
export function bytesOf(base64: string): Uint8Array {
  const binary = atob(base64)
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i += 1) bytes[i] = binary.charCodeAt(i)
  return bytes
}

/** Text in UTF-8 as base64. */
export function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text)
  let binary = ''
  for (let i = 0; i < bytes.length; i += 8_192) binary += String.fromCharCode(...bytes.subarray(i, i + 8_192))
  return btoa(binary)
}

/** Bytes as text; those that are none are shown as �. The end of a part may be within a character. */
export function textOf(bytes: Uint8Array, isCut: boolean): string {
  return new TextDecoder().decode(bytes, { stream: isCut })
}

/** Sixteen bytes a line: where they are, their digits, and their characters. */
export function hexOf(bytes: Uint8Array): string {
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += 16) {
    const part = bytes.subarray(at, at + 16)
    const digits = Array.from(part, (byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const letters = Array.from(part, (byte) =>
      byte > 31 && byte < 127 ? String.fromCharCode(byte) : '·',
    ).join('')
    lines.push(`${at.toString(16).padStart(6, '0')}  ${digits.padEnd(47)}  ${letters}`)
  }
  return lines.join('\n')
}
