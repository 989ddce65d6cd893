import type { StoreFacts } from '@unikv/core/adapter'
import { memcached } from './memcached.ts'

/** Facts about memcached, for engineers who choose a store. */
export const memcachedFacts: StoreFacts = {
  name: 'memcached',
  title: 'memcached',
  adapter: '@unikv/memcached',
  drivers: [],
  urls: ['memcached://h1:11211,h2:11211'],
  variants: [{ options: '', capabilities: memcached({ url: 'memcached://127.0.0.1:11211' }).capabilities }],
  costs: {
    read: '1 mg',
    readMany: '1 pipeline of mg a server',
    set: '1 ms',
    setMany: '1 pipeline of ms a server',
    conditionalSet: '1 mg for the cas, 1 ms bound to it',
    delete: '1 md',
    scanPage: 'not possible: memcached has no listing of keys',
  },
  consistency: { strong: 'the one server that has the key answers' },
  sources: ['https://docs.memcached.org/protocols/meta/'],
  testedOn: 'memcached 1.6.18',
  notes: [
    'Drops live records when it is full, and all of them when it restarts: a cache, not a store.',
    'No scan, no count, no clear. Values below 1 MiB, keys of at most 180 bytes.',
    'Adding or losing a server moves keys.',
  ],
}
