import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { firstReply } from '../faults/first-reply.ts'
import { mavenJars } from '../install/downloads.ts'
import { freePort } from '../process/free-port.ts'
import type { LaunchedNode, LaunchScope, ServerRecipe } from '../server.ts'

const version = '5.0.5'
/** A JVM of Cassandra takes 5 s to start, and many times that where all servers start at once. */
const startTimeoutMs = 180_000
/** OPTIONS of the native protocol, version 4; the answer is SUPPORTED. */
const optionsRequest = '\x04\0\0\0\x05\0\0\0\0'
const supportedOpcode = 6

/** One Apache Cassandra node; the URL names a keyspace `unikv` that is not made yet. */
export const cassandra: ServerRecipe = {
  kind: 'cassandra',
  environment: 'UNIKV_TEST_CASSANDRA_URL',
  binaries: ['java', 'mvn'],
  debianPackages: ['openjdk-17-jre-headless', 'maven'],
  container: {
    image: 'cassandra:5.0',
    port: 9042,
    environment: { MAX_HEAP_SIZE: '512M', HEAP_NEWSIZE: '128M', CASSANDRA_DC: 'datacenter1' },
    readyLog: { message: 'Startup complete', times: 1 },
    url: cassandraUrl,
  },
  launch: async (scope) => launchNodes(scope, [{ address: '127.0.0.1', token: '0' }], 512),
}

/** One node of a ring: where it listens, and where its part of the ring ends. */
export interface RingMember {
  readonly address: string
  readonly token: string
}

/** Starts these nodes, with this much heap each, and resolves when all answer. */
export async function launchNodes(
  scope: LaunchScope,
  members: readonly RingMember[],
  heapMiB: number,
): Promise<readonly LaunchedNode[]> {
  const jars = await mavenJars([`org.apache.cassandra:cassandra-all:${version}`])
  const addresses = members.map(({ address }) => address)
  const ring: Ring = {
    jars,
    heapMiB,
    addresses,
    port: await freePort([], addresses),
    storagePort: await freePort([], addresses),
  }
  return Promise.all(members.map((member) => launchNode(scope, ring, member)))
}

/** Settings that the nodes of one ring have in common. */
interface Ring {
  readonly jars: string
  readonly heapMiB: number
  readonly addresses: readonly string[]
  readonly port: number
  readonly storagePort: number
}

async function launchNode(scope: LaunchScope, ring: Ring, member: RingMember): Promise<LaunchedNode> {
  const dir = await scope.directory()
  await writeFile(join(dir, 'cassandra.yaml'), configurationOf(ring, member, dir))
  await writeFile(join(dir, 'logback.xml'), logback)
  const process = await scope.run({
    command: scope.binary('java'),
    args: [...jvmArgs(ring, dir), ...scope.args, 'org.apache.cassandra.service.CassandraDaemon'],
    dir,
    startTimeoutMs,
    ready: async () => (await answers(ring, member)) && (await seesOthers(ring, member, dir)),
  })
  return { url: cassandraUrl(member.address, ring.port), process }
}

async function answers({ port }: Ring, { address }: RingMember): Promise<boolean> {
  return (await firstReply(port, optionsRequest, address))[4] === supportedOpcode
}

/** A node takes statements before it knows that the others live, and refuses a quorum until then. */
async function seesOthers(
  { addresses, storagePort }: Ring,
  { address }: RingMember,
  dir: string,
): Promise<boolean> {
  const log = await readFile(join(dir, 'log'), 'utf8')
  const sinceStart = log.slice(log.lastIndexOf('Cassandra version'))
  return addresses.every(
    (other) => other === address || sinceStart.includes(`/${other}:${storagePort} is now UP`),
  )
}

function cassandraUrl(host: string, port: number): string {
  return `cassandra://${host}:${port}/unikv?datacenter=datacenter1`
}

function configurationOf(ring: Ring, { address, token }: RingMember, dir: string): string {
  const seeds = ring.addresses.map((seed) => `${seed}:${ring.storagePort}`).join(',')
  const settings = {
    cluster_name: 'unikv',
    num_tokens: 1,
    initial_token: `'${token}'`,
    partitioner: 'org.apache.cassandra.dht.Murmur3Partitioner',
    data_file_directories: `[ ${dir}/data ]`,
    commitlog_directory: `${dir}/commitlog`,
    hints_directory: `${dir}/hints`,
    saved_caches_directory: `${dir}/saved`,
    cdc_raw_directory: `${dir}/cdc`,
    commitlog_sync: 'periodic',
    commitlog_sync_period: '10000ms',
    commitlog_segment_size: '8MiB',
    commitlog_total_space: '64MiB',
    endpoint_snitch: 'SimpleSnitch',
    // All are seeds: with one alone, nodes that start at the same time now and then find no other.
    seed_provider: `[ { class_name: org.apache.cassandra.locator.SimpleSeedProvider, parameters: [ { seeds: '${seeds}' } ] } ]`,
    listen_address: address,
    rpc_address: address,
    native_transport_port: ring.port,
    storage_port: ring.storagePort,
    start_native_transport: true,
    auto_bootstrap: false,
    auto_snapshot: false,
    memtable_heap_space: '64MiB',
    memtable_offheap_space: '64MiB',
    key_cache_size: '8MiB',
    counter_cache_size: '4MiB',
    file_cache_size: '32MiB',
    networking_cache_size: '32MiB',
    concurrent_reads: 8,
    concurrent_writes: 8,
    concurrent_compactors: 1,
    // Many that write one key at the same time, on two cores for all nodes, need patience.
    cas_contention_timeout: '4000ms',
  }
  return Object.entries(settings)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')
}

const logback = `<configuration><appender name="STDOUT" class="ch.qos.logback.core.ConsoleAppender">
<encoder><pattern>%-5level %date %msg%n%ex{5}</pattern></encoder></appender>
<root level="INFO"><appender-ref ref="STDOUT"/></root></configuration>\n`

function jvmArgs({ jars, heapMiB, addresses }: Ring, dir: string): readonly string[] {
  const properties = {
    'cassandra.config': `file://${dir}/cassandra.yaml`,
    'logback.configurationFile': `${dir}/logback.xml`,
    'cassandra.storagedir': dir,
    'cassandra.logdir': `${dir}/log`,
    'cassandra-foreground': 'yes',
    // A single node has none to wait for.
    'cassandra.ring_delay_ms': addresses.length === 1 ? 100 : 1_000,
    'cassandra.skip_wait_for_gossip_to_settle': 0,
    'cassandra.superuser_setup_delay_ms': 0,
    'cassandra.disable_tcactive_openssl': true,
    'jdk.attach.allowAttachSelf': true,
    'java.library.path': dir,
  }
  return [
    `-Xms${heapMiB}m`,
    `-Xmx${heapMiB}m`,
    '-Xss512k',
    '-XX:+UseSerialGC',
    '-XX:MaxDirectMemorySize=256m',
    '-XX:TieredStopAtLevel=1',
    `-javaagent:${jars}/jamm-0.4.0.jar`,
    ...Object.entries(properties).map(([name, value]) => `-D${name}=${value}`),
    ...modules('exports', exported),
    ...modules('opens', opened),
    '-cp',
    `${jars}/*`,
  ]
}

/** Packages that Cassandra reaches into, by module: https://github.com/apache/cassandra/blob/trunk/conf/jvm17-server.options */
const exported: Readonly<Record<string, string>> = {
  'java.base': 'jdk.internal.misc jdk.internal.ref sun.nio.ch java.lang.ref',
  'java.management.rmi': 'com.sun.jmx.remote.internal.rmi',
  'java.rmi': 'sun.rmi.registry sun.rmi.server sun.rmi.transport sun.rmi.transport.tcp',
  'java.sql': 'java.sql',
  'jdk.unsupported': 'sun.misc',
  'jdk.attach': 'sun.tools.attach',
  'jdk.compiler': 'com.sun.tools.javac.file',
}
const opened: Readonly<Record<string, string>> = {
  'java.base': `java.lang.module jdk.internal.loader jdk.internal.ref jdk.internal.reflect jdk.internal.math
    jdk.internal.module jdk.internal.util.jar sun.nio.ch java.io java.lang java.lang.reflect java.util
    java.util.concurrent java.util.concurrent.atomic java.nio`,
  'jdk.management': 'com.sun.management.internal',
  'java.rmi': 'sun.rmi.transport.tcp',
  'jdk.management.agent': 'jdk.internal.agent',
}

function modules(kind: 'exports' | 'opens', packages: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(packages).flatMap(([module, names]) =>
    names.split(/\s+/).map((name) => `--add-${kind}=${module}/${name}=ALL-UNNAMED`),
  )
}
