import type { EntryView } from './api.ts'

/** Whether a value is text or JSON, and so can be edited here. */
export function isText({ contentType, base64 }: EntryView): boolean {
  if (/^(application\/json|text\/)/.test(contentType)) return true
  return textOf(bytesOf(base64), true) !== undefined
}

/** The value for people: JSON in lines, text as it is, other bytes as hexadecimal digits. */
export function shownValue({ contentType, base64, isCut }: EntryView): string {
  const bytes = bytesOf(base64)
  // The end may be within a character.
  const text = textOf(isCut ? bytes.subarray(0, -4) : bytes, false)
  if (text === undefined) return hexOf(bytes)
  if (contentType === 'application/json' && !isCut) return inLines(text)
  return text
}

/** Text in UTF-8 as base64. */
export function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text)
  let binary = ''
  for (let i = 0; i < bytes.length; i += 8_192) binary += String.fromCharCode(...bytes.subarray(i, i + 8_192))
  return btoa(binary)
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}

/** `undefined`: they are not text that people read. */
function textOf(bytes: Uint8Array, isWhole: boolean): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isWhole })
    return /[\u0000-\u0008\u000e-\u001f]/.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

function inLines(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** Sixteen bytes a line. */
function hexOf(bytes: Uint8Array): string {
  const lines: string[] = []
  for (let at = 0; at < Math.min(bytes.length, 16_384); at += 16) {
    const part = bytes.subarray(at, at + 16)
    const digits = Array.from(part, (byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const letters = Array.from(part, (byte) =>
      byte > 31 && byte < 127 ? String.fromCharCode(byte) : '·',
    ).join('')
    lines.push(`${at.toString(16).padStart(6, '0')}  ${digits.padEnd(47)}  ${letters}`)
  }
  return lines.join('\n')
}
