/** Most bytes of both identifiers together, so that an envelope stays within 112 bytes. */
export const maxIdBytes = 16

/** Whether bytes of an envelope are an identifier as `keyring` allows it, so that a message may repeat it. */
export function isId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,14}$/.test(text)
}
