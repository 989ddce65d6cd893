import { randomBytes } from 'node:crypto'
import { cache } from '@unikv/cache'
import { cassandra } from '@unikv/cassandra'
import { compression } from '@unikv/compression'
import { type Capabilities, compose, json } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { encryption, keyring } from '@unikv/encryption'
import { file } from '@unikv/file'
import { hbase } from '@unikv/hbase'
import { lmdb } from '@unikv/lmdb'
import { mongodb } from '@unikv/mongodb'
import { monitor } from '@unikv/monitor'
import { mysql } from '@unikv/mysql'
import { postgres } from '@unikv/postgres'
import { redis } from '@unikv/redis'
import { expect, test } from 'vitest'
import { layerTable, storeTable } from './capability-page.ts'

// No store is opened: capabilities are there before.
const directory = './never-made'
const url = 'mysql://127.0.0.1/never_asked'
const mongodbUrl = 'mongodb://127.0.0.1/never_asked'
const postgresUrl = 'postgres://127.0.0.1/never_asked'

const variants = (...stores: readonly { readonly capabilities: object }[]): readonly Capabilities[] =>
  stores.map(({ capabilities }) => capabilities as Capabilities)

const columns = [
  { title: 'memory', variants: variants(memory()) },
  {
    title: 'file',
    variants: variants(
      file({ directory }),
      file({ directory, durability: 'buffered' }),
      file({ directory, sync: true }),
    ),
  },
  {
    title: 'LMDB',
    variants: variants(
      lmdb({ path: directory }),
      lmdb({ path: directory, durability: 'buffered' }),
      lmdb({ path: directory, sync: true }),
    ),
  },
  {
    title: 'Redis',
    variants: variants(
      redis(),
      redis({ durability: 'buffered' }),
      redis({ durability: 'flushed' }),
      redis({ evicts: true }),
      redis({ replicas: { wait: 1 } }),
    ),
  },
  { title: 'Redis Cluster', variants: variants(redis({ cluster: ['redis://127.0.0.1:7000'] })) },
  { title: 'Redis, `raw`', variants: variants(redis({ values: 'raw' })) },
  {
    title: 'MySQL',
    variants: variants(
      mysql({ url }),
      mysql({ url, durability: 'flushed' }),
      mysql({ url, durability: 'memory' }),
    ),
  },
  { title: 'MySQL, `document`', variants: variants(mysql({ url, values: 'document' })) },
  {
    title: 'PostgreSQL',
    variants: variants(
      postgres({ url: postgresUrl }),
      postgres({ url: postgresUrl, durability: 'flushed' }),
      postgres({ url: postgresUrl, durability: 'memory' }),
    ),
  },
  {
    title: 'PostgreSQL, `document`',
    variants: variants(postgres({ url: postgresUrl, values: 'document' })),
  },
  {
    title: 'MongoDB',
    variants: variants(
      mongodb({ url: mongodbUrl }),
      mongodb({ url: mongodbUrl, durability: 'memory' }),
      mongodb({ url: mongodbUrl, durability: 'replicated' }),
    ),
  },
  {
    title: 'MongoDB, `document`',
    variants: variants(mongodb({ url: mongodbUrl, values: 'document' })),
  },
  {
    title: 'Cassandra',
    variants: variants(
      cassandra({ contactPoints: ['127.0.0.1'], keyspace: 'never_asked' }),
      cassandra({ contactPoints: ['127.0.0.1'], keyspace: 'never_asked', durability: 'replicated' }),
    ),
  },
  {
    title: 'Cassandra, `conditions`',
    variants: variants(
      cassandra({ contactPoints: ['127.0.0.1'], keyspace: 'never_asked', conditions: true }),
      cassandra({
        contactPoints: ['127.0.0.1'],
        keyspace: 'never_asked',
        conditions: true,
        durability: 'replicated',
      }),
    ),
  },
  {
    title: 'HBase',
    variants: variants(
      hbase({ url: 'http://127.0.0.1:8080' }),
      hbase({ url: 'http://127.0.0.1:8080', durability: 'replicated' }),
    ),
  },
]

const keys = keyring({ primary: 'k1', keys: { k1: randomBytes(32) } })

const layers = [
  { title: '`json`, `structured`, `text`, `bytes`', capabilities: compose(memory(), [json()]).capabilities },
  { title: '`monitor()`', capabilities: compose(memory(), [monitor()]).capabilities },
  { title: '`cache()`', capabilities: compose(memory(), [cache()]).capabilities },
  { title: '`cache({ store })`', capabilities: compose(memory(), [cache({ store: memory() })]).capabilities },
  { title: '`compression()`', capabilities: compose(memory(), [compression()]).capabilities },
  {
    title: '`compression({ threads: false })`',
    capabilities: compose(memory(), [compression({ threads: false })]).capabilities,
  },
  {
    title: '`encryption({ … })`',
    capabilities: compose(memory(), [encryption({ dataset: 'd', keys })]).capabilities,
  },
]

const page = `# Capabilities of the stores

<!-- Written by examples/test/capability-page.test.ts from what the adapters declare. After a change of theirs:
     npx vitest run examples/test/capability-page.test.ts -u -->

What each adapter declares, with its default options first and then what other options make of it. The words are those of
[capabilities.ts](../../packages/core/src/capabilities.ts), where each is explained; "–" is *no*. An operation that is not
declared is a compile error, and \`UNSUPPORTED\` at run time ([contract 12](../concepts/contract.md#12-capabilities-are-data)).

${storeTable(columns)}

A key of 1 to 180 bytes, namespaces included, works on all of them.

## What layers change

Over the memory store; whatever is not named is as the store below declares it.

${layerTable(memory().capabilities, layers)}
`

test('the page of capabilities says what the adapters and layers declare', async () => {
  await expect(page).toMatchFileSnapshot('../../docs/reference/stores.md')
})
