import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { serverKinds } from './recipes.ts'
import type { ServerKind } from './server.ts'
import { startServers } from './start-servers.ts'
import { isSettled, serverEnvironment } from './test-servers.ts'

/**
 * Starts the servers that the test files of this run name and that are not started yet, so that
 * `npx vitest run packages/adapters/redis` works by itself; stops them afterwards. Servers that could
 * not be had are named in the last lines.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (process.env['UNIKV_EMBEDDED_ONLY'] === '1') return async () => {}
  const named = kindsNamedIn(project.vitest.state.getPaths())
  const set = await startServers(named.filter((kind) => !isSettled(kind)))
  // The processes that run the test files are started later, and inherit this.
  Object.assign(process.env, serverEnvironment(set))
  return async () => {
    await set.stop()
    for (const { kind, reason } of set.missing) {
      process.stderr.write(`SKIPPED all tests on ${kind}: ${reason}\n`)
    }
  }
}

const asksForServer = /\b(describeWith|describeHistories|testServers?)\b/

/** The kinds that these test files mention, in quotes, or files beside them that are not tests themselves. */
function kindsNamedIn(testFiles: readonly string[]): readonly ServerKind[] {
  const folders = [...new Set(testFiles.map((file) => dirname(file)))]
  const helpers = folders
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name))))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  const sources = [...testFiles, ...helpers]
    .map((path) => readFileSync(path, 'utf8'))
    .filter((source) => asksForServer.test(source))
  return serverKinds.filter((kind) => sources.some((source) => source.includes(`'${kind}'`)))
}
