import { existsSync } from 'node:fs'
import { StoreError } from '@unikv/core'

/**
 * The program of a thread, which Node runs without help: beside this file, or in the build if this is the source.
 *
 * @param here the URL of this file; in a bundle it is that of the bundle, or there is none (CommonJS)
 * @throws {StoreError} `UNSUPPORTED` if the program is not there
 */
export function threadFile(here: string | null | undefined = import.meta.url): URL {
  if (here === undefined || here === null) throw bundled()
  const file = new URL(here.endsWith('.ts') ? '../../../dist/drive/threads/thread.js' : './thread.js', here)
  if (!existsSync(file)) throw bundled()
  return file
}

function bundled(): StoreError {
  const message =
    'Several threads need the files of @unikv/bench, and this program is a bundle without them. Use one thread, or leave @unikv/bench out of the bundle.'
  return new StoreError('UNSUPPORTED', message)
}
