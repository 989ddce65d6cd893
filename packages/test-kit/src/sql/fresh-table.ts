import { randomBytes } from 'node:crypto'

/** A table name that no other test uses. */
export function freshTable(): string {
  return `t_${randomBytes(8).toString('hex')}`
}
