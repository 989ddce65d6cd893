import { StoreError } from '@unikv/core'
import { runCommand } from '../../../run/run-command.ts'
import type { RunConfig } from '../config.ts'
import type { Reset, ResetPlace } from './reset.ts'

/** Keeps records by commands of the user, such as those of a database for backups. They get the place of the records as JSON. */
export function commandReset(
  { target, path, records, signal }: ResetPlace,
  { save, restore }: Pick<RunConfig, 'save' | 'restore'>,
): Reset {
  const input = { store: target.name, namespace: path, records }
  const run = async (option: 'save' | 'restore', command: string): Promise<void> => {
    const { problem, output } = await runCommand(command, { input, signal })
    signal.throwIfAborted()
    if (problem === undefined) return
    const told = output === '' ? 'It printed nothing.' : `It printed: ${output}`
    throw new StoreError('UNAVAILABLE', `The command of --${option} ${problem}: ${command}. ${told}`)
  }
  return {
    save: () => run('save', save as string),
    restore: () => run('restore', restore as string),
    close: async () => {},
  }
}
