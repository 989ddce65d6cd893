import { type KnownStore, known } from '../known-store.ts'

const docs = 'https://docs.openstack.org/swift/latest'
const license = 'https://github.com/openstack/swift/blob/master/LICENSE'

/** Facts about OpenStack Swift from its documentation. */
export const swift: KnownStore = known({
  name: 'swift',
  title: 'OpenStack Swift',
  version: 'Swift of 2026',
  checked: '2026-11-27',
  facts: {
    dataModel: {
      value: ['object'],
      says: 'Accounts, containers and objects.',
      source: `${docs}/overview_architecture.html`,
    },
    sharding: {
      value: 'automatic',
      says: 'Hashes of names place objects on the ring of devices.',
      source: `${docs}/overview_ring.html`,
      checked: '2026-12-01',
    },
    replication: {
      value: ['quorum', 'asynchronous'],
      says: 'A majority of nodes answers a write; replicators bring the rest later.',
      source: `${docs}/overview_replication.html`,
    },
    automaticFailover: {
      value: true,
      says: 'The proxy writes to another server when one is away.',
      source: `${docs}/overview_architecture.html`,
    },
    consistency: {
      value: ['eventual'],
      says: 'Listings and copies follow later; X-Newest asks all replicas.',
      source: `${docs}/overview_architecture.html`,
    },
    secondaryIndexes: {
      value: [],
      says: 'Objects are found by name only.',
      source: 'https://docs.openstack.org/api-ref/object-store/',
    },
    queries: {
      value: ['range'],
      says: 'Names of a container are listed in their order.',
      source: 'https://docs.openstack.org/api-ref/object-store/',
    },
    authentication: {
      value: ['token'],
      says: 'Each request has a token of Keystone or another system.',
      source: `${docs}/overview_auth.html`,
    },
    accessControl: {
      value: true,
      says: 'Access control lists for containers and accounts.',
      source: `${docs}/overview_acl.html`,
    },
    encryptionAtRest: {
      value: 'included',
      says: 'A middleware of the proxy encrypts objects.',
      source: `${docs}/overview_encryption.html`,
    },
    onlineScaling: {
      value: 'writes',
      says: 'Devices are added to the ring, and partitions move bit by bit.',
      source: `${docs}/overview_ring.html`,
    },
    license: { value: ['Apache-2.0'], says: 'The Apache License.', source: license },
    openSource: { value: true, says: 'The Apache License is approved.', source: license },
    selfHosted: { value: true, says: 'It runs on your machines.', source: `${docs}/deployment_guide.html` },
  },
})
