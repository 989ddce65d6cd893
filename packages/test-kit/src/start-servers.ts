import { installDebianPackages } from './install/debian-packages.ts'
import { startContainer } from './install/docker.ts'
import { missingBinaries, planServers, type ServerPlan } from './plan-servers.ts'
import { launch } from './process/launch.ts'
import type {
  MissingServer,
  ServerKind,
  ServerRecipe,
  ServerSet,
  ServerSource,
  TestServer,
} from './server.ts'

/** Options of {@link startServers}. */
export interface StartOptions {
  /** Where the variables that name running servers are looked up. @default process.env */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Told, a line at a time, what is being installed. @default written to standard error */
  readonly say?: (line: string) => void
  /** More command-line arguments for servers that are started from installed programs; other servers are as they are. @default none */
  readonly args?: readonly string[]
}

/**
 * Gets one server: a running one that the environment names, else a container, else installed programs.
 * Started programs end with this process, however it ends.
 *
 * @throws Error when it cannot be had, saying why.
 */
export async function startServer(kind: ServerKind, options: StartOptions = {}): Promise<TestServer> {
  const { servers, missing } = await startServers([kind], options)
  const [server] = servers
  if (server === undefined) throw new Error(`no ${kind} server: ${missing[0]?.reason ?? 'unknown kind'}`)
  return server
}

/**
 * Gets one server of each kind, all at the same time. Where this process may (root on Debian or Ubuntu),
 * missing system packages are installed first, after saying which.
 */
export async function startServers(
  kinds: readonly ServerKind[],
  options: StartOptions = {},
): Promise<ServerSet> {
  const { environment = process.env, say = writeLine, args = [] } = options
  const plans = await planServers(kinds, environment)
  const refusal = await installPackages(plans, say)
  const outcomes = await Promise.all(plans.map((plan) => outcomeOf(plan, { refusal, say, args })))
  const servers = outcomes.flatMap((outcome) => ('url' in outcome ? [outcome] : []))
  const missing = outcomes.flatMap((outcome) => ('reason' in outcome ? [outcome] : []))
  const stop = async (): Promise<void> => void (await Promise.all(servers.map((server) => server.stop())))
  return { servers, missing, stop, [Symbol.asyncDispose]: stop }
}

/** Resolves to what went wrong, if anything did. */
async function installPackages(
  plans: readonly ServerPlan[],
  say: (line: string) => void,
): Promise<string | undefined> {
  const packages = [...new Set(plans.flatMap((plan) => plan.packages))]
  if (packages.length === 0) return undefined
  say(`installing system packages with apt-get: ${packages.join(' ')}`)
  return installDebianPackages(packages).then(
    () => undefined,
    (error: unknown) => String(error),
  )
}

function writeLine(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Under which servers are obtained. */
interface Circumstances {
  /** Why packages could not be installed, if so. */
  readonly refusal: string | undefined
  readonly say: (line: string) => void
  readonly args: readonly string[]
}

async function outcomeOf(
  plan: ServerPlan,
  circumstances: Circumstances,
): Promise<TestServer | MissingServer> {
  const { recipe, source } = plan
  const { refusal } = circumstances
  if (source === undefined) return { kind: recipe.kind, reason: howToGet(recipe) }
  if (plan.packages.length > 0 && refusal !== undefined) return { kind: recipe.kind, reason: refusal }
  try {
    return await obtain(plan, source, circumstances)
  } catch (error) {
    return { kind: recipe.kind, reason: String(error) }
  }
}

async function obtain(
  { recipe, named }: ServerPlan,
  source: ServerSource,
  { say, args }: Circumstances,
): Promise<TestServer> {
  if (source === 'environment') return server(recipe, source, named, async () => {})
  if (source === 'docker' && recipe.container !== undefined) {
    try {
      const { url, stop } = await startContainer(recipe.container)
      return server(recipe, source, [url], stop)
    } catch (error) {
      say(`${recipe.kind}: no container (${String(error)}); trying installed programs`)
    }
  }
  const { nodes, stop } = await launch(recipe, args)
  const urls = nodes.map((node) => node.url)
  return server(recipe, 'installed', urls, stop)
}

function server(
  { kind, environment }: ServerRecipe,
  source: ServerSource,
  urls: readonly string[],
  stop: () => Promise<void>,
): TestServer {
  const [url] = urls
  if (url === undefined) throw new Error(`the recipe of ${kind} gave no address`)
  return { kind, url, urls, environment, source, stop, [Symbol.asyncDispose]: stop }
}

function howToGet(recipe: ServerRecipe): string {
  const programs = missingBinaries(recipe).join(' and ')
  return `${programs} not installed, nothing may be installed here; set ${recipe.environment} or install ${recipe.debianPackages.join(' ')}`
}
