import { randomBytes } from 'node:crypto'

const poolBytes = 4096
const tokenBytes = 8
let pool: Buffer = Buffer.alloc(0)
let used = 0

/** Sixteen random hexadecimal digits (64 bits). */
export function newToken(): string {
  if (used + tokenBytes > pool.length) {
    pool = randomBytes(poolBytes)
    used = 0
  }
  const token = pool.toString('hex', used, used + tokenBytes)
  used += tokenBytes
  return token
}
