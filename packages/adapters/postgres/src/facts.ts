import type { StoreFacts } from '@unikv/core/adapter'
import { postgres } from './postgres.ts'

const url = 'postgres://127.0.0.1/database'

/** Facts about PostgreSQL, for engineers who choose a store. */
export const postgresFacts: StoreFacts = {
  name: 'postgres',
  title: 'PostgreSQL',
  adapter: '@unikv/postgres',
  drivers: ['pg'],
  urls: [
    'postgres://user:password@host:5432/database',
    'postgresql://user:password@host/database?sslmode=require',
  ],
  variants: [
    { options: '', capabilities: postgres({ url }).capabilities },
    { options: "durability: 'flushed'", capabilities: postgres({ url, durability: 'flushed' }).capabilities },
    { options: "durability: 'memory'", capabilities: postgres({ url, durability: 'memory' }).capabilities },
    { options: "values: 'document'", capabilities: postgres({ url, values: 'document' }).capabilities },
  ],
  costs: {
    read: '1 prepared SELECT by primary key',
    readMany: '1 SELECT … WHERE k = ANY($1)',
    set: '1 INSERT … ON CONFLICT DO UPDATE',
    setMany: '1 INSERT … SELECT FROM unnest(…) for up to 256 rows',
    conditionalSet: '1 statement that also tells the version found',
    delete: '1 DELETE',
    scanPage: '1 SELECT by range of the primary key',
  },
  consistency: { strong: 'the primary answers' },
  sources: [
    'https://www.postgresql.org/docs/current/runtime-config-wal.html',
    'https://www.postgresql.org/docs/current/limits.html',
  ],
  testedOn: 'PostgreSQL 15',
  notes: [
    'Give the address of the primary, not of a standby.',
    'documents are JSONB, which the database can query.',
  ],
}
