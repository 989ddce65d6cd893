import { type Command, Option } from 'commander'

/** Ways to show progress that can be asked for. */
export type ProgressForm = 'text' | 'json'

/** The options as commander gives them. */
export interface ProgressOptions {
  readonly quiet?: boolean
  readonly progress?: ProgressForm
}

/** How progress is shown on standard error. */
export interface ShownProgress {
  /** No progress. */
  readonly isQuiet: boolean
  /** `undefined`: as it fits a terminal, or a log. */
  readonly progress: ProgressForm | undefined
}

/** Add the options of progress to a command. */
export function addProgressOptions(command: Command): Command {
  const form = new Option(
    '--progress <form>',
    'progress on stderr as "text" or "json" lines (default: a bar, or text without a terminal)',
  )
  return command.addOption(form.choices(['text', 'json'])).option('--quiet', 'show no progress')
}

/** How the options want it. */
export function shownProgress({ quiet = false, progress }: ProgressOptions): ShownProgress {
  return { isQuiet: quiet, progress }
}
