import type { StoreOutcomes } from './outcomes-page.ts'

const none = 'none: every answer says what happened'
const serverFailed = 'statuses from 500 on'
const connectionCut = 'its connection is cut'
const answerDropped = 'the connection stays, the late answer is dropped'
const whole = 'a change under way is finished'

/** In what stores differ. */
export const storeOutcomes: readonly StoreOutcomes[] = [
  { store: 'Memory', unsettled: none, abandoned: 'does not happen: the answer is there at once' },
  {
    store: 'Files',
    unsettled: 'a change that could not be forced to the disk: it is visible, and may not outlive a crash',
    abandoned: whole,
  },
  { store: 'LMDB', unsettled: none, abandoned: whole },
  { store: 'SQLite', unsettled: none, abandoned: whole },
  {
    store: 'Redis',
    unsettled: none,
    abandoned: `${answerDropped}; after \`socketTimeoutMs\` of silence ${connectionCut}`,
  },
  {
    store: 'memcached',
    unsettled:
      '`SERVER_ERROR` for other reasons than size and memory (for these an earlier value may be gone, which the message says)',
    abandoned: `${answerDropped}; after \`socketTimeoutMs\` of silence ${connectionCut}`,
  },
  {
    store: 'MySQL and MariaDB',
    unsettled:
      'the server ends the connection: shutdown, `KILL`, a lost packet (1053, 1152, 1158 to 1161, 1927, …)',
    abandoned: connectionCut,
  },
  {
    store: 'PostgreSQL',
    unsettled: 'the server ends the connection: classes 08 and 57P, 25P03',
    abandoned: connectionCut,
  },
  {
    store: 'MongoDB',
    unsettled:
      'write concern errors; interruptions and shutdowns (6, 50, 64, 89, 91, 189, 262, 11600, 11602, …)',
    abandoned: connectionCut,
  },
  {
    store: 'Apache Cassandra',
    unsettled: 'server error, timeout or failure of a write, unknown CAS (0x0000, 0x1100, 0x1500, 0x1700)',
    abandoned: answerDropped,
  },
  {
    store: 'CouchDB and Cloudant',
    unsettled: `${serverFailed}, except 507; an answer that is not JSON`,
    abandoned: connectionCut,
  },
  {
    store: 'OpenStack Object Storage (Swift)',
    unsettled: `${serverFailed}, except 507`,
    abandoned: connectionCut,
  },
  {
    store: 'Amazon S3 and compatible services',
    unsettled: `${serverFailed}, except 501, 503 and 507`,
    abandoned: connectionCut,
  },
  { store: 'Amazon DynamoDB', unsettled: `${serverFailed}, except 503`, abandoned: connectionCut },
  { store: 'Apache HBase', unsettled: `${serverFailed} of the REST gateway`, abandoned: connectionCut },
  {
    store: 'HTTP (unikv serve)',
    unsettled: 'those of the store behind the server; an answer that is not one of unikv',
    abandoned: `${connectionCut}; the server goes on to its own deadline`,
  },
]
