/**
 * The slot of a key in a Redis Cluster: CRC-16/XMODEM of its UTF-8 bytes (or of what stands between its first
 * `{` and the next `}`, if that is not empty) modulo 16384.
 *
 * @see https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#key-distribution-model
 */
export function hashSlot(key: string): number {
  let crc = 0
  for (const byte of Buffer.from(hashed(key)))
    crc = ((crc << 8) ^ (table[(crc >> 8) ^ byte] as number)) & 0xffff
  return crc & 0x3fff
}

function hashed(key: string): string {
  const open = key.indexOf('{')
  if (open === -1) return key
  const close = key.indexOf('}', open + 1)
  return close > open + 1 ? key.slice(open + 1, close) : key
}

const polynomial = 0x1021

const table = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ polynomial : crc << 1
  return crc
})
