import { type ConfigOf, loadStudy, type StudyOf } from '@unikv/bench/studies'

/** The study of evaluations, which is loaded with the command that runs one. */
export const evaluation: StudyOf<'evaluate'> = await loadStudy('evaluate')

/** The document of an evaluation. */
export type EvaluationDocument = ReturnType<typeof evaluation.documentOf>

/** The configuration of an evaluation. */
export type EvaluationConfig = ConfigOf<'evaluate'>

/** A candidate, and what became of it. */
export type Candidate = EvaluationConfig['candidates'][number]
