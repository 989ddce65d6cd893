import { jobIn } from './document/job.ts'
import { modulesOf } from './document/modules.ts'
import { shownParameters, shownText } from './document/shown.ts'
import { programName } from './program/program.ts'
import { programDriver } from './program/session-driver.ts'
import { suiteOf } from './report/suite.ts'
import { session as study } from './study.ts'

/** The study, and what a command needs that reads its documents, shows its jobs, and works for others. */
export const session = Object.assign(
  { jobIn, modulesOf, shownParameters, shownText, suiteOf, programDriver, programName },
  study,
)
