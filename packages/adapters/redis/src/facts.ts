import type { StoreFacts } from '@unikv/core/adapter'
import { redis } from './redis.ts'
import { upstash } from './upstash/upstash.ts'

/** Facts about Redis, for engineers who choose a store. */
export const redisFacts: StoreFacts = {
  name: 'redis',
  title: 'Redis',
  adapter: '@unikv/redis',
  drivers: ['ioredis', 'redis'],
  urls: [
    'redis://localhost:6379/0',
    'rediss://user:password@host',
    'redis+cluster://h1:6379,h2:6379',
    'upstash://:token@host',
  ],
  variants: [
    { options: '', capabilities: redis().capabilities },
    { options: "durability: 'buffered'", capabilities: redis({ durability: 'buffered' }).capabilities },
    { options: "durability: 'flushed'", capabilities: redis({ durability: 'flushed' }).capabilities },
    { options: 'replicas: { wait: 1 }', capabilities: redis({ replicas: { wait: 1 } }).capabilities },
    { options: 'evicts: true', capabilities: redis({ evicts: true }).capabilities },
    { options: "values: 'raw'", capabilities: redis({ values: 'raw' }).capabilities },
    { options: 'upstash()', capabilities: upstash({ url: 'https://127.0.0.1' }).capabilities },
    { options: 'cluster: […]', capabilities: redis({ cluster: ['redis://127.0.0.1:7000'] }).capabilities },
  ],
  costs: {
    read: '1 GET',
    readMany: '1 MGET (cluster: one a slot)',
    set: '1 SET',
    setMany: '1 MSET, pipelined SET with expiry',
    conditionalSet: '1 EVALSHA',
    delete: '1 UNLINK',
    scanPage: 'SCAN over the whole database, MGET for values',
  },
  consistency: {
    strong: 'the primary answers',
    replicated: 'WAIT: so many replicas have the write (option replicas)',
  },
  sources: [
    'https://redis.io/docs/latest/commands/set/',
    'https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/',
  ],
  testedOn: 'Redis 7.0, single server and cluster of three',
  notes: [
    'A failover loses acknowledged writes that were not replicated.',
    'durability is what you state of your server; unikv cannot ask for it.',
    'Valkey speaks the same protocol.',
    'upstash() is a database of Upstash by its REST interface: fetch alone, the same records.',
  ],
}
