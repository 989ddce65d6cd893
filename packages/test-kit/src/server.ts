import type { ContainerRecipe } from './install/docker.ts'
import type { ProcessSpec, ServerProcess } from './process/server-process.ts'

/** The servers that tests can ask for: one recipe each in `servers/`. */
export type ServerKind =
  | 'redis'
  | 'redis-cluster'
  | 'mariadb'
  | 'postgres'
  | 'memcached'
  | 'cassandra'
  | 'cassandra-cluster'
  | 'swift'
  | 'couchdb'
  | 's3'
  | 'dynamodb'
  | 'mongodb'
  | 'hbase'

/** Where a server came from: named by an environment variable, a container, or an installed program. */
export type ServerSource = 'environment' | 'docker' | 'installed'

/** A running server. Its data is throw-away; stopping one that the environment named leaves it running. */
export interface TestServer extends AsyncDisposable {
  readonly kind: ServerKind
  /** The first (mostly the only) address; may hold a password, so it is not for logs. */
  readonly url: string
  /** Every address: the nodes of a cluster. */
  readonly urls: readonly string[]
  /** The environment variable that names a running server of this kind (several: separated by commas). */
  readonly environment: string
  readonly source: ServerSource
  /** Ends the server and removes its files; twice is fine. */
  stop(): Promise<void>
}

/** A server that could not be had, and why. */
export interface MissingServer {
  readonly kind: ServerKind
  readonly reason: string
}

/** The result of {@link startServers}. */
export interface ServerSet extends AsyncDisposable {
  readonly servers: readonly TestServer[]
  readonly missing: readonly MissingServer[]
  /** Stops all servers that were started here; twice is fine. */
  stop(): Promise<void>
}

/** How one kind of server is found, installed and started. */
export interface ServerRecipe {
  readonly kind: ServerKind
  /** The environment variable that names a running one. */
  readonly environment: string
  /** Programs that {@link ServerRecipe.launch} runs. */
  readonly binaries: readonly string[]
  /** The packages of Debian and Ubuntu that bring these programs. */
  readonly debianPackages: readonly string[]
  /** Its image; without one, Docker is not used for this kind. */
  readonly container?: ContainerRecipe
  /**
   * Starts the installed programs and resolves to the nodes once they answer. The caller ends and removes everything that
   * is made through `scope`, on failure too.
   */
  launch(scope: LaunchScope): Promise<readonly LaunchedNode[]>
}

/** One address of a server, and the program behind it. */
export interface LaunchedNode {
  readonly url: string
  readonly process: ServerProcess
}

/** The settings with which a recipe starts its programs. */
export interface LaunchScope {
  /** More command-line arguments for the server. */
  readonly args: readonly string[]
  /** The full path of one of the recipe's binaries. */
  binary(name: string): string
  /** A fresh directory: in `UNIKV_TEST_DATA` where that is set, or `'disk'`, in the folder for temporary files. */
  directory(place?: 'disk'): Promise<string>
  /** Starts a program and waits until it is ready. */
  run(spec: ProcessSpec): Promise<ServerProcess>
}
