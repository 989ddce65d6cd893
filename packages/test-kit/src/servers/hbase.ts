import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mavenJars } from '../install/downloads.ts'
import { freePort } from '../process/free-port.ts'
import type { ServerProcess } from '../process/server-process.ts'
import type { ServerRecipe } from '../server.ts'

const version = '2.6.1'
/** Two JVMs need 5 s to start, and many times that where all servers start at once. */
const startTimeoutMs = 180_000
/** The first table takes some seconds. */
const makeTimeoutMs = 30_000
/** Made to see whether the server is ready. */
const readyTable = 'ready'
/** The status of an answer to who makes a table that is there. */
const existsAlready = 304

/**
 * HBase in standalone mode (ZooKeeper, master and region server in one JVM, over local files) and its REST gateway,
 * whose address the URL is. After a kill it needs half a minute to recover its write-ahead log.
 */
export const hbase: ServerRecipe = {
  kind: 'hbase',
  environment: 'UNIKV_TEST_HBASE_URL',
  binaries: ['java', 'mvn'],
  debianPackages: ['openjdk-17-jre-headless', 'maven'],
  async launch(scope) {
    const artifacts = ['hbase-server', 'hbase-rest'].map((name) => `org.apache.hbase:${name}:${version}`)
    // The old servlet API would stand before the one that the gateway needs.
    const jars = await mavenJars(artifacts, ['javax.servlet:servlet-api'])
    const dir = await scope.directory()
    const port = await freePort()
    await writeFile(join(dir, 'hbase-site.xml'), await configuration(dir, port))
    await writeFile(join(dir, 'log4j.properties'), logging)
    const url = `http://127.0.0.1:${port}`
    const start = async (name: string, heapMiB: number): Promise<ServerProcess> => {
      const own = await scope.directory()
      return scope.run({
        command: scope.binary('java'),
        args: [...jvmArgs(heapMiB, `${dir}:${jars}/*`), ...scope.args, name, 'start'],
        dir: own,
        startTimeoutMs,
        ready: async () => (await hasLiveNode(url)) && (await takesTables(url)),
      })
    }
    // The configuration and the data live in a directory of neither, which goes when both have ended.
    const [, gateway] = await Promise.all([
      start('org.apache.hadoop.hbase.master.HMaster', 512),
      start('org.apache.hadoop.hbase.rest.RESTServer', 192),
    ])
    return [{ url, process: gateway }]
  },
}

async function hasLiveNode(url: string): Promise<boolean> {
  try {
    const headers = { accept: 'application/json' }
    const response = await fetch(`${url}/status/cluster`, { headers, signal: AbortSignal.timeout(5_000) })
    const { LiveNodes } = (await response.json()) as { readonly LiveNodes?: readonly unknown[] }
    return LiveNodes !== undefined && LiveNodes.length > 0
  } catch {
    return false
  }
}

/**
 * A region server may live long before its master has begun to work: who makes a table then waits for longer than a call
 * may take.
 */
async function takesTables(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/${readyTable}/schema`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: readyTable, ColumnSchema: [{ name: 'u' }] }),
      signal: AbortSignal.timeout(makeTimeoutMs),
    })
    return response.ok || response.status === existsAlready
  } catch {
    return false
  }
}

async function configuration(dir: string, restPort: number): Promise<string> {
  const settings = {
    'hbase.rootdir': `file://${dir}/root`,
    'hbase.tmp.dir': `${dir}/tmp`,
    'hbase.zookeeper.property.dataDir': `${dir}/zookeeper`,
    'hbase.zookeeper.property.clientPort': await freePort(),
    'hbase.zookeeper.property.clientPortAddress': '127.0.0.1',
    'hbase.zookeeper.quorum': '127.0.0.1',
    'hbase.cluster.distributed': false,
    'hbase.unsafe.stream.capability.enforce': false,
    'hbase.wal.provider': 'filesystem',
    'hbase.master.port': await freePort(),
    'hbase.master.hostname': 'localhost',
    'hbase.master.ipc.address': '127.0.0.1',
    'hbase.master.info.port': -1,
    'hbase.master.wait.on.regionservers.timeout': 100,
    'hbase.master.wait.on.regionservers.interval': 50,
    'hbase.regionserver.port': await freePort(),
    'hbase.regionserver.hostname': 'localhost',
    'hbase.regionserver.ipc.address': '127.0.0.1',
    'hbase.regionserver.info.port': -1,
    'hbase.rest.host': '127.0.0.1',
    'hbase.rest.port': restPort,
    'hbase.rest.info.port': -1,
  }
  const properties = Object.entries(settings).map(
    ([name, value]) => `<property><name>${name}</name><value>${value}</value></property>\n`,
  )
  return `<configuration>\n${properties.join('')}</configuration>\n`
}

const logging = `log4j.rootLogger=WARN, console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%p %d %c: %m%n
`

function jvmArgs(heapMiB: number, classPath: string): readonly string[] {
  const opens = ['java.base/java.lang', 'java.base/java.nio', 'java.base/sun.nio.ch']
  const exports = ['java.base/jdk.internal.misc', 'java.security.jgss/sun.security.krb5']
  return [
    `-Xmx${heapMiB}m`,
    '-XX:+UseSerialGC',
    '-XX:TieredStopAtLevel=1',
    ...opens.flatMap((name) => ['--add-opens', `${name}=ALL-UNNAMED`]),
    ...exports.flatMap((name) => ['--add-exports', `${name}=ALL-UNNAMED`]),
    '-cp',
    classPath,
  ]
}
