import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { firstReply } from '../faults/first-reply.ts'
import { mavenJars } from '../install/downloads.ts'
import { freePort } from '../process/free-port.ts'
import type { ServerRecipe } from '../server.ts'

/**
 * One DynamoDB Local. Any credentials will do; the URL holds some, as one of the real service would have to. Its tables
 * are in memory, where writes cost a tenth; with the arguments `-dbPath .` they survive a kill.
 */
export const dynamodbLocal: ServerRecipe = {
  kind: 'dynamodb',
  environment: 'UNIKV_TEST_DYNAMODB_URL',
  // `java` compiles the launcher, which takes the compiler of a JDK.
  binaries: ['java', 'javac', 'mvn'],
  debianPackages: ['default-jdk-headless', 'maven'],
  container: { image: 'amazon/dynamodb-local:2.6.1', port: 8000, url: serverUrl },
  async launch(scope) {
    const jars = await mavenJars(['com.amazonaws:DynamoDBLocal:2.6.1'])
    const port = await freePort()
    const dir = await scope.directory()
    const launcher = join(dir, 'LoopbackServer.java')
    await writeFile(launcher, loopbackServer)
    const process = await scope.run({
      command: scope.binary('java'),
      args: [...machineArgs(jars), launcher, ...serverArgs(port), ...placeOf(scope.args)],
      dir,
      ready: async () => (await firstReply(port, 'GET / HTTP/1.0\r\n\r\n')).toString().startsWith('HTTP/1.'),
    })
    return [{ url: serverUrl('127.0.0.1', port), process }]
  },
}

function serverUrl(host: string, port: number): string {
  return `http://unikv:unikvsecret@${host}:${port}`
}

function machineArgs(jars: string): readonly string[] {
  return [
    '-Xmx256m',
    '-XX:+UseSerialGC',
    '-XX:TieredStopAtLevel=1',
    `-Djava.library.path=${jars}`,
    '-cp',
    join(jars, '*'),
  ]
}

function serverArgs(port: number): readonly string[] {
  // Shared: one set of tables for all credentials and regions.
  return ['-sharedDb', '-port', `${port}`, '-disableTelemetry']
}

function placeOf(args: readonly string[]): readonly string[] {
  return args.includes('-dbPath') ? args : ['-inMemory', ...args]
}

/** The server has no option for its address and listens on all: its connector is told before it starts. */
const loopbackServer = `import com.amazonaws.services.dynamodbv2.local.main.ServerRunner;
import com.amazonaws.services.dynamodbv2.local.server.DynamoDBProxyServer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

class LoopbackServer {
  public static void main(String[] args) throws Exception {
    DynamoDBProxyServer proxy = ServerRunner.createServerFromCommandLineArgs(args);
    var server = DynamoDBProxyServer.class.getDeclaredField("server");
    server.setAccessible(true);
    ((ServerConnector) ((Server) server.get(proxy)).getConnectors()[0]).setHost("127.0.0.1");
    proxy.start();
    proxy.join();
  }
}
`
