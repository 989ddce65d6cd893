import type { StoreFacts } from '@unikv/core/adapter'
import { cassandra } from './cassandra.ts'

const at = { contactPoints: ['127.0.0.1'], keyspace: 'keyspace' }

/** Facts about Cassandra, for engineers who choose a store. */
export const cassandraFacts: StoreFacts = {
  name: 'cassandra',
  title: 'Apache Cassandra',
  adapter: '@unikv/cassandra',
  drivers: ['cassandra-driver'],
  urls: ['cassandra://user:password@h1,h2:9042/keyspace?datacenter=dc1&consistency=quorum'],
  variants: [
    { options: '', capabilities: cassandra(at).capabilities },
    {
      options: "durability: 'replicated'",
      capabilities: cassandra({ ...at, durability: 'replicated' }).capabilities,
    },
    { options: 'conditions: true', capabilities: cassandra({ ...at, conditions: true }).capabilities },
    {
      options: "conditions: true, durability: 'replicated'",
      capabilities: cassandra({ ...at, conditions: true, durability: 'replicated' }).capabilities,
    },
  ],
  costs: {
    read: '1 prepared SELECT, sent to a replica',
    readMany: 'one SELECT a key, side by side',
    set: '1 INSERT; with conditions a lightweight transaction (4 round trips between replicas)',
    setMany: 'one INSERT a key, side by side; never a batch over partitions',
    conditionalSet: '1 lightweight transaction; only with conditions: true',
    delete: '1 DELETE, or 1 lightweight transaction',
    scanPage: '1 page of SELECT by token, over the whole table',
  },
  consistency: {
    eventual: 'ONE',
    strong: 'QUORUM; with conditions SERIAL',
    one: 'ONE',
    local_one: 'LOCAL_ONE',
    two: 'TWO',
    three: 'THREE',
    quorum: 'QUORUM',
    local_quorum: 'LOCAL_QUORUM',
    each_quorum: 'EACH_QUORUM (writes)',
    all: 'ALL',
    serial: 'SERIAL (with conditions)',
  },
  sources: [
    'https://cassandra.apache.org/doc/latest/cassandra/architecture/dynamo.html',
    'https://cassandra.apache.org/doc/latest/cassandra/developing/cql/dml.html',
  ],
  testedOn: 'Cassandra 5.0, one node and three',
  notes: [
    'Plain writes and lightweight transactions do not mix: the table records which it takes, and refuses the other.',
    'Without conditions the later write of two wins, by the clocks of their clients.',
    'QUORUM on both sides is strong only with a replication factor of 3 or more on as many nodes.',
  ],
}
