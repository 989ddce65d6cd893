import { type KnownStore, known } from '../known-store.ts'

const docs = 'https://github.com/orientechnologies/orientdb-docs/blob/3.2.x/src'
const distributed = `${docs}/distributed`

/** Facts about OrientDB from its documentation. */
export const orientdb: KnownStore = known({
  name: 'orientdb',
  title: 'OrientDB',
  unopened: 'it is a graph store, whose vertices and edges have no keys of yours',
  version: 'OrientDB 3.2',
  checked: '2026-12-01',
  facts: {
    dataModel: {
      value: ['graph', 'document'],
      says: 'Documents, which edges may join to a graph.',
      source: `${docs}/datamodeling/Concepts.md`,
    },
    sharding: {
      value: 'manual',
      says: 'A class has parts on chosen servers, and the application chooses the part of a record.',
      source: `${distributed}/Distributed-Sharding.md`,
    },
    replication: {
      value: ['quorum', 'multi-leader'],
      says: 'Every master takes writes, and a write waits for most of them.',
      source: `${distributed}/Distributed-Architecture.md`,
    },
    automaticFailover: {
      value: true,
      says: 'There is no primary: the remaining masters continue to serve.',
      source: `${distributed}/Replication.md`,
    },
    quorums: {
      value: true,
      says: 'readQuorum and writeQuorum are settings of a database.',
      source: `${distributed}/Distributed-Configuration.md`,
    },
    transactions: {
      value: 'any',
      says: 'Transactions over any records.',
      source: `${docs}/internals/Transactions.md`,
    },
    secondaryIndexes: {
      value: ['ordered', 'unique', 'text', 'spatial'],
      says: 'Indexes by trees and hashes; full text and places by Lucene.',
      source: `${docs}/indexing/Indexes.md`,
    },
    inMemory: {
      value: 'included',
      says: 'A database named memory: lasts as long as its process.',
      source: `${docs}/internals/Memory-storage.md`,
    },
    cacheTuning: {
      value: true,
      says: 'The disk cache has a size.',
      source: `${docs}/admin/Configuration.md`,
    },
    compression: {
      value: true,
      says: 'storage.compressionMethod may be gzip or snappy; nothing unless it is set.',
      source: `${docs}/admin/Configuration.md`,
    },
    onlineBackup: {
      value: true,
      says: 'Writes wait for the backup; in Enterprise Edition they go on.',
      source: `${docs}/admin/Backup-and-Restore.md`,
    },
    license: {
      value: ['Apache-2.0'],
      says: 'Community Edition is under the Apache License; Enterprise Edition is sold.',
      source: `${docs}/misc/Editions.md`,
    },
    openSource: {
      value: true,
      says: 'The Apache License is approved.',
      source: `${docs}/misc/Editions.md`,
    },
    selfHosted: {
      value: true,
      says: 'It runs anywhere with Java.',
      source: `${docs}/gettingstarted/Tutorial-Installation.md`,
    },
  },
})
