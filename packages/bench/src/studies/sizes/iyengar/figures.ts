import type { CacheInfo } from '../config.ts'

/** A store of the paper, and what stands for it. */
export interface Role {
  readonly name: string
  /** Kinds of stores that stand for it, the likest one first. */
  readonly adapters: readonly string[]
  /** Whether any store at a distance does, too. */
  readonly isFar: boolean
  /** How to have one. */
  readonly need: string
}

const cloud = {
  adapters: ['dynamodb', 's3', 'swift', 'couchdb'],
  isFar: true,
  need: 'Add a store of a cloud service, or put one farther away, such as --delay NAME=30ms.',
}
const cloud1: Role = { name: 'Cloud Store 1', ...cloud }
const cloud2: Role = { name: 'Cloud Store 2', ...cloud }
const mysql: Role = {
  name: 'MySQL',
  adapters: ['mysql', 'postgres', 'sqlite'],
  isFar: false,
  need: 'Add a store such as mysql://HOST/DATABASE.',
}
const files: Role = {
  name: 'the file system',
  adapters: ['file', 'lmdb'],
  isFar: false,
  need: 'Add a store such as file:./data.',
}
const redis: Role = {
  name: 'Redis',
  adapters: ['redis', 'memcached'],
  isFar: false,
  need: 'Add a store such as redis://HOST.',
}

/** In the order of the figures. */
export const roles: readonly Role[] = [cloud1, cloud2, mysql, files, redis]

/** A figure of the paper. It has times by object size, both axes logarithmic. */
export interface PaperFigure {
  readonly number: number
  readonly of: Latency | BehindCache | Encoding
  /** The finding of the paper. */
  readonly found: string
}

interface Latency {
  readonly operation: 'read' | 'write'
}

interface BehindCache {
  readonly role: Role
  readonly cache: CacheInfo['kind']
}

interface Encoding {
  readonly codec: 'encryption' | 'compression'
}

const flat = 'a hit takes the same time at every size, and far less than the store'
const rising = 'a hit takes longer the larger the object is'

/** Fig. 9 to 21 of the paper. */
export const paperFigures: readonly PaperFigure[] = [
  {
    number: 9,
    of: { operation: 'read' },
    found:
      'the cloud stores are slowest; Redis is faster than files below 50 KB and slower from there on; it is much faster than MySQL up to 50 KB, and a little above',
  },
  {
    number: 10,
    of: { operation: 'write' },
    found:
      'Cloud Store 1 is slowest, then Cloud Store 2, then MySQL; Redis is faster than files up to 10 KB and slower above 100 KB; writes take longer than reads',
  },
  { number: 11, of: { role: cloud1, cache: 'in-process' }, found: flat },
  { number: 12, of: { role: cloud1, cache: 'remote' }, found: rising },
  { number: 13, of: { role: cloud2, cache: 'in-process' }, found: flat },
  { number: 14, of: { role: cloud2, cache: 'remote' }, found: rising },
  { number: 15, of: { role: mysql, cache: 'in-process' }, found: flat },
  { number: 16, of: { role: mysql, cache: 'remote' }, found: `${rising}, and gains little at large sizes` },
  { number: 17, of: { role: files, cache: 'in-process' }, found: flat },
  {
    number: 18,
    of: { role: files, cache: 'remote' },
    found: `${rising}, and gains at small sizes alone: large objects are read faster from files`,
  },
  { number: 19, of: { role: redis, cache: 'in-process' }, found: flat },
  { number: 20, of: { codec: 'encryption' }, found: 'both ways take about the same time' },
  {
    number: 21,
    of: { codec: 'compression' },
    found:
      'compressing takes several times as long as decompressing, which takes about as long as decrypting',
  },
]
