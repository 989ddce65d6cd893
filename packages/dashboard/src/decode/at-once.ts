/** Bytes that are looked at. */
const lookedAt = 65_536

/** First bytes that the thread knows: images, packed ones, MessagePack and CBOR. */
const known = new Set([0x00, 0x1f, 0x28, 0x47, 0x52, 0x89, 0xd9, 0xdc, 0xdd, 0xde, 0xdf, 0xff])

/** The decoder of bytes that tell it without being decoded, as most do; `undefined`: the thread must look at them. */
export function atOnce(body: Buffer): 'json' | 'text' | 'hex' | undefined {
  const text = textOf(body.subarray(0, lookedAt), body.length > lookedAt)
  if (text !== undefined) return isJson(text, body.length > lookedAt) ? 'json' : 'text'
  const [first = 0] = body
  return known.has(first) || (first >= 0x80 && first <= 0xbf) ? undefined : 'hex'
}

function textOf(bytes: Buffer, isCut: boolean): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut })
    return /[\u0000-\u0008\u000e-\u001f]/.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

/** A number or a word is JSON, too, but is better read as text. The rest of a long text is not read for that. */
function isJson(text: string, isCut: boolean): boolean {
  if (isCut) return /^\s*[[{]\s*["[{\d\]}tfn-]/.test(text)
  if (!/^\s*[[{"]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
