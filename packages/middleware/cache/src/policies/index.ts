import { Gdsf } from './gdsf.ts'
import { Lru } from './lru.ts'
import type { PolicyFactory } from './policy.ts'
import { S3Fifo } from './s3-fifo.ts'
import { Sieve } from './sieve.ts'
import { WTinyLfu } from './w-tiny-lfu.ts'

export type { Bounds, Policy, PolicyFactory, Resident } from './policy.ts'
export { Residents } from './residents.ts'

/** A policy that comes with this package. */
export type PolicyName = 'lru' | 'sieve' | 's3-fifo' | 'w-tinylfu' | 'gdsf'

/** The policies of this package by name. */
export const policies: Readonly<Record<PolicyName, PolicyFactory>> = Object.freeze({
  lru: () => new Lru(),
  sieve: () => new Sieve(),
  's3-fifo': (bounds) => new S3Fifo(bounds),
  'w-tinylfu': (bounds) => new WTinyLfu(bounds),
  gdsf: () => new Gdsf(),
})
