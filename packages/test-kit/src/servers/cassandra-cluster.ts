import type { ServerRecipe } from '../server.ts'
import { launchNodes } from './cassandra.ts'

/** A third of the ring each. */
const members = [
  { address: '127.0.0.1', token: '-9223372036854775808' },
  { address: '127.0.0.2', token: '-3074457345618258603' },
  { address: '127.0.0.3', token: '3074457345618258602' },
]

/**
 * Three Cassandra nodes on 127.0.0.1, .2 and .3, with the same port. It has no container: nodes tell clients the
 * addresses they know of themselves, which a mapped port makes wrong. It takes 1.8 GB and two cores for 10 to 20 s.
 */
export const cassandraCluster: ServerRecipe = {
  kind: 'cassandra-cluster',
  environment: 'UNIKV_TEST_CASSANDRA_CLUSTER_URL',
  binaries: ['java', 'mvn'],
  debianPackages: ['openjdk-17-jre-headless', 'maven'],
  launch: (scope) => launchNodes(scope, members, 256),
}
