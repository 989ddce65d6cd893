import { missingBinaries } from './plan-servers.ts'
import { launch } from './process/launch.ts'
import type { ServerProcess } from './process/server-process.ts'
import { recipeOf } from './recipes.ts'
import type { ServerKind } from './server.ts'

/** A server that one test has for itself, to do harm to. Its address and its files survive a kill. */
export interface OwnServer extends AsyncDisposable {
  readonly url: string
  /** The nodes of a cluster; the methods below take an index into this list, and mean all without it. */
  readonly urls: readonly string[]
  /** Ends it at once (SIGKILL); connections are reset, further ones refused. */
  kill(node?: number): Promise<void>
  /** Starts it again, killing it first where it still runs, and resolves when it answers. */
  restart(node?: number): Promise<void>
  /** Freezes it (SIGSTOP): the system still accepts connections, nothing answers. */
  pause(node?: number): void
  /** Ends a pause. */
  resume(node?: number): void
  /** Ends it and removes its files; twice is fine. */
  stop(): Promise<void>
}

/** Options of {@link ownServer}. */
export interface OwnServerOptions {
  /** More command-line arguments for the server, such as `['--maxmemory', '10mb']`. @default none */
  readonly args?: readonly string[]
}

/**
 * Starts a server from the programs installed here, independently of the environment.
 *
 * @throws Error when they are not installed or do not start.
 */
export async function ownServer(kind: ServerKind, options: OwnServerOptions = {}): Promise<OwnServer> {
  const { nodes, processes, stop } = await launch(recipeOf(kind), options.args)
  const [first] = nodes
  if (first === undefined) throw new Error(`the recipe of ${kind} gave no address`)
  const chosen = (node: number | undefined): readonly ServerProcess[] =>
    node === undefined ? processes : nodes.slice(node, node + 1).map(({ process }) => process)
  return {
    url: first.url,
    urls: nodes.map(({ url }) => url),
    kill: async (node) => void (await Promise.all(chosen(node).map((process) => process.kill()))),
    restart: async (node) => void (await Promise.all(chosen(node).map((process) => process.start()))),
    pause: (node) => chosen(node).forEach((process) => process.pause()),
    resume: (node) => chosen(node).forEach((process) => process.resume()),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** Why {@link ownServer} cannot start a server of this kind here; undefined when it can. */
export function ownServerObstacle(kind: ServerKind): string | undefined {
  const missing = missingBinaries(recipeOf(kind))
  return missing.length === 0 ? undefined : `${missing.join(' and ')} not installed`
}
