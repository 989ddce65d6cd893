import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** How a program ended, and what it printed. */
export interface Ended {
  readonly code: number | string
  readonly output: string
}

/** With `UNIKV_TESTS=whole`: what `npm test` leaves out runs, too. */
export const isWhole: boolean = process.env['UNIKV_TESTS'] === 'whole'

/** A path in the clone. */
export function inClone(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url))
}

/** Run a file by Node.js in a project; what it prints is kept, whether it ends well or not. */
export function node(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const { NODE_OPTIONS: _, VITEST: __, ...inherited } = process.env
  const options = { cwd, env: { ...inherited, NO_COLOR: '1', ...env }, timeout: 100_000, maxBuffer: 2 ** 26 }
  return new Promise((resolve) => {
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? error?.signal ?? 0, output: `${stdout}${stderr}` }),
    )
  })
}

/** What a row of the matrix did: for each store nothing, or how it failed. */
export type Cells = ReadonlyMap<string, string | undefined>

/** A row of the matrix: `start` is given a folder for what it makes, and the environment for its program. */
export async function cellsOf(
  project: string,
  start: (folder: string, env: NodeJS.ProcessEnv) => Promise<Ended>,
): Promise<{ readonly cells: Cells; readonly ended: Ended }> {
  await mkdir(join(project, 'out'), { recursive: true })
  const folder = await mkdtemp(join(project, 'out/row-'))
  const results = join(folder, 'results')
  await writeFile(results, '')
  const ended = await start(folder, { OUTSIDE_RESULTS: results, OUTSIDE_FOLDER: folder })
  const lines = (await readFile(results, 'utf8')).split('\n').filter((line) => line !== '')
  const told = lines.map((line) => JSON.parse(line) as { readonly store: string; readonly error?: string })
  return { cells: new Map(told.map(({ store, error }) => [store, error])), ended }
}
