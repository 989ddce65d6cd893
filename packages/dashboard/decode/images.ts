/** The media type of an image by its first bytes. SVG is left out: it is text, and may hold code. */
export function imageType(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(16, bytes.length)).toString('latin1')
  if (text.startsWith('\u0089PNG\r\n\u001a\n')) return 'image/png'
  if (text.startsWith('\u00ff\u00d8\u00ff')) return 'image/jpeg'
  if (/^GIF8[79]a/.test(text)) return 'image/gif'
  if (/^RIFF....WEBP/s.test(text)) return 'image/webp'
  return /^....ftypavi[fs]/s.test(text) ? 'image/avif' : undefined
}
