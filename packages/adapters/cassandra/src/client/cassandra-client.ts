import { lookup } from 'node:dns/promises'
import { cannotLoad } from '@unikv/core/adapter'
import { DriverRemains } from './driver-remains.ts'

/**
 * The part of a cassandra-driver client that the store needs. Its own `Client` is one; `native` of a store that was handed
 * one is that client.
 */
export interface CassandraClient {
  /** Connect, once; further calls wait for the same. */
  connect(): Promise<void>
  /** Run a statement. */
  execute(
    query: string,
    params?: readonly unknown[],
    options?: CassandraQueryOptions,
  ): Promise<CassandraResult>
  /** End all connections. */
  shutdown(): Promise<void>
  /** The driver's view of the cluster. Without it the driver alone decides where statements go. */
  readonly metadata?: CassandraMetadata
}

/** The driver's knowledge of the cluster, as far as it is asked. */
export interface CassandraMetadata {
  /** The token of a partition key. Throws before the driver knows the partitioner. */
  newToken(key: Buffer): CassandraToken
}

/** A token of the driver's. */
export interface CassandraToken {
  /** Its number, in a form of the driver's. */
  getValue(): unknown
  /** Whether both stand at the same place of the ring. */
  equals(other: CassandraToken): boolean
}

/** The options of `execute` that the store sets; all that are named here override those of the client. */
export interface CassandraQueryOptions {
  readonly prepare?: boolean
  readonly consistency?: number
  readonly serialConsistency?: number
  readonly isIdempotent?: boolean
  /** Milliseconds; 0: none. */
  readonly readTimeout?: number
  /** Microseconds since the epoch. */
  readonly timestamp?: number
  readonly fetchSize?: number
  readonly pageState?: string
  readonly autoPage?: boolean
  /** The partition key by which the statement goes to a node that has it; or its token, of which the driver's types do not tell. */
  readonly routingKey?: Buffer
  readonly retry?: CassandraRetryPolicy
}

/** The driver asks it when a request failed. */
export interface CassandraRetryPolicy {
  /** Too few replicas answered a read. */
  onReadTimeout(): CassandraDecision
  /** Too few replicas confirmed a write. */
  onWriteTimeout(): CassandraDecision
  /** Too few replicas are alive. */
  onUnavailable(): CassandraDecision
  /** The connection broke, or the node is overloaded. */
  onRequestError(): CassandraDecision
  /** The decision not to try again. */
  rethrowResult(): CassandraDecision
  /** The decision to try again; the store never takes it. */
  retryResult(): CassandraDecision
}

/** Decision 0 is the driver's "rethrow"; `consistency` is of a retry. */
export interface CassandraDecision {
  readonly decision: number
  readonly consistency: number
}

/** The result of `execute`. */
export interface CassandraResult {
  /** Missing where the statement gives none. */
  readonly rows?: readonly object[]
  /** Where the next page starts; nothing after the last. */
  readonly pageState?: string | null
}

/** Settings of TLS, as `tls.connect` of Node takes them. */
export interface CassandraTls {
  /** Trusted authorities, PEM. @default those of Node */
  readonly ca?: string | Buffer | readonly (string | Buffer)[]
  /** Certificate of the client, PEM. */
  readonly cert?: string | Buffer
  /** Key of the client, PEM. */
  readonly key?: string | Buffer
  /** Refuse servers whose certificate is not trusted. @default true */
  readonly rejectUnauthorized?: boolean
  /** The name that the certificates of all nodes are for. @default each node's IP address */
  readonly servername?: string
}

/** Where to connect to. */
export interface CassandraAddress {
  /** `host:port`, each. */
  readonly contactPoints: readonly string[]
  readonly port: number
  readonly username: string | undefined
  readonly password: string | undefined
  readonly localDataCenter: string | undefined
  readonly tls: CassandraTls | undefined
  /** No other node gets statements. */
  readonly onlyNamed: boolean
}

/** How often a node that went away is tried again. */
const reconnectMs = 500
/** An idle connection is asked whether it lives this often, and has as long to answer. */
const heartbeatMs = 5_000
/** Unanswered requests after which a connection is replaced. */
const unansweredLimit = 2

/** A client of one's own. */
export interface OwnClient {
  readonly client: CassandraClient
  /** End it, with all that it began. */
  close(): Promise<void>
}

/**
 * Load the driver and make a client. It does not connect yet.
 *
 * @throws {StoreError} `INVALID_CONFIG` if the driver cannot be loaded
 */
export async function makeClient(address: CassandraAddress): Promise<OwnClient> {
  const driver = await loadDriver()
  const { contactPoints, port, username, password, localDataCenter, tls, onlyNamed } = address
  const { loadBalancing, reconnection, retry } = driver.policies
  const balancing = [
    // Without a data centre all nodes are alike.
    ...(localDataCenter === undefined
      ? [new loadBalancing.TokenAwarePolicy(new loadBalancing.RoundRobinPolicy())]
      : []),
    ...(onlyNamed
      ? [
          new loadBalancing.AllowListPolicy(
            new loadBalancing.RoundRobinPolicy(),
            await addressesOf(contactPoints),
          ),
        ]
      : []),
  ].at(-1)
  const client = new driver.Client({
    contactPoints: [...contactPoints],
    ...(localDataCenter === undefined ? {} : { localDataCenter }),
    protocolOptions: { port },
    ...(username === undefined ? {} : { credentials: { username, password: password ?? '' } }),
    // The driver trusts every certificate unless told otherwise.
    ...(tls === undefined ? {} : { sslOptions: { rejectUnauthorized: true, ...(tls as object) } }),
    policies: {
      reconnection: new reconnection.ConstantReconnectionPolicy(reconnectMs),
      retry: new retry.FallthroughRetryPolicy(),
      ...(balancing === undefined ? {} : { loadBalancing: balancing }),
    },
    pooling: { heartBeatInterval: heartbeatMs },
    socketOptions: { readTimeout: heartbeatMs, defunctReadTimeoutThreshold: unansweredLimit },
    monitorReporting: { enabled: false },
  })
  const remains = new DriverRemains(client as never)
  return { client, close: () => remains.close() }
}

/** The addresses of nodes as the driver knows them: a name may stand for several. */
async function addressesOf(contactPoints: readonly string[]): Promise<string[]> {
  const found = contactPoints.map(async (point) => {
    const [, host = '', port = ''] = /^\[?(.*?)\]?:(\d+)$/.exec(point) ?? []
    const all = await lookup(host, { all: true }).catch(() => [])
    return [
      point,
      ...all.map(({ address, family }) => (family === 6 ? `[${address}]` : address) + `:${port}`),
    ]
  })
  return (await Promise.all(found)).flat()
}

async function loadDriver() {
  try {
    return (await import('cassandra-driver')).default
  } catch (cause) {
    throw cannotLoad('cassandra-driver', cause)
  }
}
