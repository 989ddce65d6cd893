import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '../measure/entrants.ts'

/** A client over a folder of its own, which goes with it. */
export async function inFolder(
  open: (folder: string) => Promise<Client>,
  above: string = tmpdir(),
): Promise<Client> {
  const folder = await mkdtemp(join(above, 'unikv-overhead-'))
  const client = await open(folder)
  const close = async (): Promise<void> => {
    await client.close()
    await rm(folder, { recursive: true, force: true })
  }
  return { ...client, close }
}
