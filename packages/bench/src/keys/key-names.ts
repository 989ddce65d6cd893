import { z } from 'zod'
import type { Plain } from '../options/plain.ts'
import { Fnv64 } from './fnv64.ts'

/** The schema of `KeyNames`; the defaults are YCSB's. */
export const keyNamesSchema = z.strictObject({
  /** @default 'user' */
  prefix: z.string().max(200).default('user').describe('what names of keys begin with'),
  /** The name holds the number itself, or its hash, which scatters neighbours over the key space. @default 'hashed' */
  order: z
    .enum(['hashed', 'ordered'])
    .default('hashed')
    .describe('number of a key in its name: hashed or as it is'),
  /** Digits at least, filled with zeros, so that names can be sorted like their numbers. @default 1 */
  zeroPadding: z.int().min(1).max(100).default(1).describe('digits of the number at least'),
})

/** How the number of a key becomes its name. */
export type KeyNames = Plain<typeof keyNamesSchema>

/**
 * A function that names keys as YCSB does: number 0 is `user6284781860667377211`, and with `order: 'ordered'` and
 * `zeroPadding: 4` it is `user0000`.
 */
export function keyNames(options: Partial<KeyNames> = {}): (number: number) => string {
  const { prefix = 'user', order = 'hashed', zeroPadding = 1 } = options
  const fnv = new Fnv64()
  const digits = (number: number): string => {
    if (order === 'ordered') return String(number)
    fnv.hash(number)
    return fnv.toString()
  }
  if (zeroPadding <= 1) return (number) => prefix + digits(number)
  return (number) => prefix + digits(number).padStart(zeroPadding, '0')
}

/** The number of a key by its name; `undefined`: it is not one of these names, or names are hashed, which cannot be undone. */
export function keyNumbers({
  prefix = 'user',
  order = 'hashed',
}: Partial<KeyNames> = {}): (name: string) => number | undefined {
  if (order === 'hashed') return () => undefined
  return (name) => {
    const digits = name.slice(prefix.length)
    return name.startsWith(prefix) && /^\d{1,15}$/.test(digits) ? Number(digits) : undefined
  }
}
