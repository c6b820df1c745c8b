/** Cells of the memory that the reader of a recording shares with the thread that decodes it. */

/** Pieces that may still be posted. */
export const GRANTED = 0;
/** 1 once the reader has left. */
export const LEFT = 1;
