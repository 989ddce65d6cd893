import type { StoreFacts } from '@unikv/core/adapter'
import { mongodb } from './mongodb.ts'

const url = 'mongodb://127.0.0.1/database'

/** Facts about MongoDB, for engineers who choose a store. */
export const mongodbFacts: StoreFacts = {
  name: 'mongodb',
  title: 'MongoDB',
  adapter: '@unikv/mongodb',
  drivers: ['mongodb'],
  urls: [
    'mongodb://user:password@h1,h2/database?replicaSet=rs0',
    'mongodb+srv://user:password@cluster.example.org/database',
  ],
  variants: [
    { options: '', capabilities: mongodb({ url }).capabilities },
    { options: "durability: 'memory'", capabilities: mongodb({ url, durability: 'memory' }).capabilities },
    {
      options: "durability: 'replicated'",
      capabilities: mongodb({ url, durability: 'replicated' }).capabilities,
    },
    { options: "values: 'document'", capabilities: mongodb({ url, values: 'document' }).capabilities },
  ],
  costs: {
    read: '1 find by _id',
    readMany: '1 find by a list of _id',
    set: '1 update by _id with upsert',
    setMany: '1 bulk write, unordered',
    conditionalSet: '1 update by _id and version',
    delete: '1 delete by _id',
    scanPage: '1 find by range of _id',
  },
  consistency: {
    eventual: 'any member, read concern local; writes acknowledged by the primary',
    strong: 'the primary, read concern linearizable; writes by a majority',
    local: 'read concern local',
    majority: 'read concern majority; writes by a majority',
    linearizable: 'read concern linearizable on the primary; writes by a majority',
  },
  sources: [
    'https://www.mongodb.com/docs/manual/reference/limits/',
    'https://www.mongodb.com/docs/manual/reference/write-concern/',
  ],
  testedOn: 'SecantusDB (a server of the MongoDB protocol on WiredTiger), not mongod itself',
  notes: [
    'Documents of at most 16 MiB.',
    'A TTL index removes expired records about once a minute; they are hidden at once.',
    'Replica sets were not at hand: failover is as the driver has it.',
  ],
}
