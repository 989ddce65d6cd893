import type { Policy } from '@unikv/monitor/recorder'
import type { Spec } from './world.ts'

/** A situation, and the first choices that are right; `none`: nothing should be proposed. */
export interface Situation {
  readonly name: string
  readonly spec: Spec
  readonly policy: Omit<Policy, 'store'>
  readonly right: readonly string[]
}

const read = (belowMs: number, percentile = 99): Situation['policy'] => ({
  operation: 'read',
  belowMs,
  percentile,
})
const native = (belowMs: number, percentile = 99): Situation['policy'] => ({
  operation: 'native',
  belowMs,
  percentile,
})
const set = (belowMs: number, percentile = 99): Situation['policy'] => ({
  operation: 'set',
  belowMs,
  percentile,
})
const withCache = (maxEntries: number): Spec['layers'] => [
  { cache: { maxEntries, freshForMs: 5000 } },
  'json',
]

/** Compresses nothing yet, but reads what others compressed. */
const readsCompressed: Spec['layers'] = ['json', { compression: { acceptPlain: true, minBytes: 1e9 } }]

/** Forty situations whose best first step an engineer would name at once. */
export const situations: readonly Situation[] = [
  // A query without an index
  {
    name: 'a query by one attribute',
    spec: { queries: { 'by ip': 20 }, writes: 50 },
    policy: native(10),
    right: ['add-index'],
  },
  {
    name: 'a million records',
    spec: { queries: { 'by ip': 2 }, writes: 200, records: 1e6 },
    policy: native(10),
    right: ['add-index'],
  },
  {
    name: 'ten million records',
    spec: { queries: { 'by ip': 0.5 }, records: 1e7, writes: 10 },
    policy: { ...native(10), over: '5min' },
    right: ['add-index'],
  },
  {
    name: 'two attributes',
    spec: { queries: { 'by ip,at': 10 }, writes: 20 },
    policy: native(10),
    right: ['add-index'],
  },
  {
    name: 'a promise about the query itself',
    spec: { queries: { 'by ip': 10 }, reads: 500 },
    policy: { operation: 'by ip', belowMs: 10 },
    right: ['add-index'],
  },
  {
    name: 'a promise about half of the calls',
    spec: { queries: { 'by ip': 20 } },
    policy: native(10, 50),
    right: ['add-index'],
  },
  {
    name: 'one of two queries has an index',
    spec: { queries: { 'by ip': 200, 'by card': 10 }, indexes: [['ip']] },
    policy: native(10),
    right: ['add-index'],
  },
  {
    name: 'an index on another attribute',
    spec: { queries: { 'by card': 10 }, indexes: [['ip']] },
    policy: native(10),
    right: ['add-index'],
  },
  {
    name: 'an index whose first attribute is another',
    spec: { queries: { 'by card': 10 }, indexes: [['ip', 'card']] },
    policy: native(10),
    right: ['add-index'],
  },
  {
    name: 'queries that take the server away from reads',
    spec: { queries: { 'by ip': 150 }, reads: 1000, records: 120_000 },
    policy: read(3),
    right: ['add-index'],
  },
  {
    name: 'many writes, and still worth it',
    spec: {
      queries: { 'by ip': 20 },
      writes: 2000,
      places: 16,
      url: 'postgres://app@db/app?maxConnections=16',
    },
    policy: native(10),
    right: ['add-index'],
  },
  // An index is not the answer
  {
    name: 'writes that an index would slow more than it saves',
    spec: {
      queries: { 'by ip': 1 },
      writes: 3000,
      records: 20_000,
      writeMs: 2,
      places: 32,
      url: 'postgres://app@db/app?maxConnections=32',
    },
    policy: native(5),
    right: ['none'],
  },
  {
    name: 'the index is there, and the disk is slow',
    spec: { queries: { 'by ip': 20 }, indexes: [['ip']] },
    policy: native(0.1),
    right: ['none'],
  },
  {
    name: 'a table of 500 records',
    spec: { queries: { 'by ip': 20 }, records: 500 },
    policy: native(0.2),
    right: ['none'],
  },
  {
    name: 'a user without the right to it',
    spec: { queries: { 'by ip': 20 }, denied: 'This user does not own users.' },
    policy: native(10),
    right: ['none'],
  },
  // Reads
  {
    name: 'reads of a slow store',
    spec: { reads: 500, readMs: 8 },
    policy: read(5, 50),
    right: ['add-cache'],
  },
  {
    name: 'reads of few records',
    spec: { reads: 500, readMs: 5, records: 5000 },
    policy: read(10, 90),
    right: ['add-cache'],
  },
  {
    name: 'reads that keep the server busy',
    spec: { reads: 9000, readMs: 0.8, records: 50_000 },
    policy: read(1, 50),
    right: ['add-cache'],
  },
  {
    name: 'a promise about hits without a cache',
    spec: { reads: 500 },
    policy: { operation: 'read', minHitRate: 0.5 },
    right: ['add-cache'],
  },
  {
    name: 'some writes among reads',
    spec: { reads: 500, writes: 20, readMs: 8 },
    policy: read(5, 50),
    right: ['add-cache'],
  },
  {
    name: 'a cache that is too small',
    spec: { reads: 500, readMs: 8, layers: withCache(100), records: 1e6 },
    policy: { operation: 'read', minHitRate: 0.4 },
    right: ['grow-cache'],
  },
  {
    name: 'a small cache before a slow store',
    spec: { reads: 500, readMs: 8, layers: withCache(50), records: 100_000 },
    policy: read(2, 50),
    right: ['grow-cache'],
  },
  {
    name: 'a cache of a tenth of the records',
    spec: { reads: 500, layers: withCache(1000), records: 10_000 },
    policy: { operation: 'read', minHitRate: 0.85 },
    right: ['grow-cache'],
  },
  {
    name: 'all records fit already',
    spec: { reads: 500, layers: withCache(10_000), records: 5000 },
    policy: { operation: 'read', minHitRate: 0.995 },
    right: ['none'],
  },
  // Connections
  {
    name: 'a pool of two',
    spec: {
      reads: 2500,
      readMs: 0.8,
      writes: 600,
      writeMs: 1,
      url: 'postgres://app@db/app?maxConnections=2',
    },
    policy: set(5),
    right: ['more-connections'],
  },
  {
    name: 'a pool of four and slow writes',
    spec: { writes: 800, writeMs: 5, url: 'postgres://app@db/app?maxConnections=4' },
    policy: set(50),
    right: ['more-connections'],
  },
  {
    name: 'a pool of one',
    spec: { writes: 950, writeMs: 1, url: 'postgres://app@db/app?maxConnections=1' },
    policy: set(10),
    right: ['more-connections'],
  },
  {
    name: 'a pool of five, writes and reads',
    spec: { reads: 100, writes: 1200, writeMs: 4, url: 'postgres://app@db/app?maxConnections=5' },
    policy: set(30),
    right: ['more-connections'],
  },
  {
    name: 'a server without connections left',
    spec: {
      reads: 100,
      connections: 90,
      maxConnections: 100,
      url: 'postgres://app@db/app?maxConnections=10',
    },
    policy: read(1000),
    right: ['fewer-connections'],
  },
  {
    name: 'a pool that is far too large',
    spec: {
      reads: 200,
      connections: 20,
      maxConnections: 100,
      url: 'postgres://app@db/app?maxConnections=75',
    },
    policy: read(1000),
    right: ['fewer-connections'],
  },
  // Slow ones among many
  {
    name: 'one read of fifty takes forty times as long',
    spec: { reads: 200, writes: 200, tail: { share: 0.04, times: 40 } },
    policy: read(10),
    right: ['hedge-reads'],
  },
  {
    name: 'rare slow reads of a fast store',
    spec: { reads: 100, writes: 150, readMs: 0.3, tail: { share: 0.05, times: 100 } },
    policy: read(5),
    right: ['hedge-reads'],
  },
  {
    name: 'slow reads behind a cache',
    spec: { reads: 500, layers: withCache(10_000), tail: { share: 0.08, times: 60 } },
    policy: read(8),
    right: ['hedge-reads', 'grow-cache'],
  },
  // Too much at once
  {
    name: 'a store that refuses calls',
    spec: { writes: 1500, writeMs: 10, places: 8, refusesFrom: 12, url: 'redis://db' },
    policy: { operation: 'set', maxErrorShare: 0.01 },
    right: ['limit-calls'],
  },
  {
    name: 'refusals of reads and writes',
    spec: { reads: 500, writes: 1000, writeMs: 8, places: 8, refusesFrom: 10 },
    policy: { operation: 'set', maxErrorShare: 0.05 },
    right: ['limit-calls', 'more-connections'],
  },
  // Large values
  {
    name: 'a store that runs full of large values',
    spec: { writes: 50, reads: 50, valueBytes: 50_000, storedShare: 0.95, layers: readsCompressed },
    policy: read(1000),
    right: ['compress'],
  },
  {
    name: 'documents of 20 kB fill the disk',
    spec: { writes: 100, valueBytes: 20_000, storedShare: 0.92, layers: readsCompressed },
    policy: set(1000),
    right: ['compress'],
  },
  // Writes
  {
    name: 'two indexes that nothing uses',
    spec: { writes: 800, writeMs: 5, unusedIndexes: 2 },
    policy: set(26),
    right: ['drop-index'],
  },
  {
    name: 'four indexes that nothing uses',
    spec: { writes: 500, writeMs: 3, unusedIndexes: 4 },
    policy: set(19),
    right: ['drop-index'],
  },
  { name: 'writes to a slow disk', spec: { writes: 100, writeMs: 20 }, policy: set(10), right: ['none'] },
]
