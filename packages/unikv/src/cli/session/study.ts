import { loadStudy, type StudyOf } from '@unikv/bench/studies'

/** The study of sessions, which is loaded with the command that runs jobs. */
export const session: StudyOf<'session'> = await loadStudy('session')

/** A job of a document. */
export type GivenJob = ReturnType<typeof session.jobIn>
