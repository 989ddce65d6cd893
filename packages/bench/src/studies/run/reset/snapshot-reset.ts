import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { restore, snapshot } from '@unikv/snapshot'
import { clearNamespace } from '../../../run/run-namespace.ts'
import type { Reset, ResetPlace } from './reset.ts'

/** Keeps records in a portable snapshot, in the folder for temporary files. */
export async function snapshotReset({ keys, signal }: ResetPlace): Promise<Reset> {
  const folder = await mkdtemp(join(tmpdir(), 'unikv-reset-'))
  const file = join(folder, 'records.snapshot')
  return {
    async save() {
      await snapshot(keys, file, { signal, compression: 'none' })
    },
    async restore() {
      await clearNamespace(keys)
      await restore(file, keys, { signal, verify: false })
    },
    close: () => rm(folder, { recursive: true, force: true }),
  }
}
