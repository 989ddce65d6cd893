import { recipeOf, serverKinds } from './recipes.ts'
import type { ServerKind, ServerSet } from './server.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** A server as a test sees it: its addresses, or why there is none. */
export type TestServerAddress =
  | { readonly urls: readonly [string, ...string[]] }
  | { readonly missing: string }

/** The server of one kind that the environment names. */
export function testServer(kind: ServerKind, environment: Environment = process.env): TestServerAddress {
  const { environment: variable } = recipeOf(kind)
  const [first, ...others] = (environment[variable] ?? '').split(',').filter((url) => url !== '')
  if (first !== undefined) return { urls: [first, ...others] }
  return { missing: environment[missingVariable(variable)] ?? `${variable} is not set` }
}

/** The servers of all kinds, as the environment names them. */
export function testServers(
  environment: Environment = process.env,
): Readonly<Record<ServerKind, TestServerAddress>> {
  const entries = serverKinds.map((kind) => [kind, testServer(kind, environment)] as const)
  return Object.fromEntries(entries) as Record<ServerKind, TestServerAddress>
}

/** The variables that tell other processes of these servers: what {@link testServer} reads there. */
export function serverEnvironment(
  set: Pick<ServerSet, 'servers' | 'missing'>,
): Readonly<Record<string, string>> {
  const named = set.servers.map((server) => [server.environment, server.urls.join(',')])
  const missing = set.missing.map(({ kind, reason }) => [missingVariable(recipeOf(kind).environment), reason])
  return Object.fromEntries([...named, ...missing])
}

/** Whether somebody has already looked for a server of this kind, with or without success. */
export function isSettled(kind: ServerKind, environment: Environment = process.env): boolean {
  const { environment: variable } = recipeOf(kind)
  return Boolean(environment[variable]) || environment[missingVariable(variable)] !== undefined
}

function missingVariable(variable: string): string {
  return variable.replace(/_URL$/, '_MISSING')
}
