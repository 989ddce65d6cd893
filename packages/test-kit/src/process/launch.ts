import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBinary } from '../install/find-binary.ts'
import type { LaunchedNode, ServerRecipe } from '../server.ts'
import { type ServerProcess, serverProcess } from './server-process.ts'

/** A server started from installed programs. */
export interface Launched {
  readonly nodes: readonly LaunchedNode[]
  /** All its programs. */
  readonly processes: readonly ServerProcess[]
  /** Ends its programs and removes their files; twice is fine. */
  readonly stop: () => Promise<void>
}

/** Another program can take the chosen port before the server does. */
const attempts = 3
const portTaken = /address already in use|EADDRINUSE|could not create server tcp listening socket/i

/** Starts the installed programs of a recipe, with further arguments for the server. */
export async function launch(recipe: ServerRecipe, args: readonly string[] = []): Promise<Launched> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launchOnce(recipe, args)
    } catch (error) {
      if (attempt === attempts || !portTaken.test(String(error))) throw error
    }
  }
}

async function launchOnce(recipe: ServerRecipe, args: readonly string[]): Promise<Launched> {
  const processes: ServerProcess[] = []
  const starting: Promise<ServerProcess>[] = []
  const directories: string[] = []
  const stop = async (): Promise<void> => {
    await Promise.allSettled(starting)
    await Promise.all(processes.map((process) => process.stop()))
    await Promise.all(directories.map((dir) => rm(dir, { recursive: true, force: true })))
  }
  try {
    const nodes = await recipe.launch({
      args,
      binary: requiredBinary,
      directory: async (place) => {
        const above = place === 'disk' ? tmpdir() : (process.env['UNIKV_TEST_DATA'] ?? tmpdir())
        const dir = await mkdtemp(join(above, `unikv-${recipe.kind}-`))
        directories.push(dir)
        return dir
      },
      run: (spec) => {
        const started = serverProcess(spec).then((process) => {
          processes.push(process)
          return process
        })
        starting.push(started)
        return started
      },
    })
    return { nodes, processes, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function requiredBinary(name: string): string {
  const path = findBinary(name)
  if (path === undefined) throw new Error(`${name} is not installed`)
  return path
}
