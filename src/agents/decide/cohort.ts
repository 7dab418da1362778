/**
 * Everyday questions of many kinds. How near a question is to them tells how near it is to anything at all, whatever the embedder;
 * an agent suits a question that is clearly nearer to it. Source: cohort (test) normalisation of speaker verification,
 * Auckenthaler, Carey, Lloyd-Thomas, Digital Signal Processing 10, 2000.
 */
export const cohort: readonly string[] = [
  "How tall is the highest mountain in Europe?",
  "Who wrote the first novel in this series?",
  "What is the best way to learn the piano?",
  "Which team won the final last year?",
  "How do vaccines work in the body?",
  "What does the contract say about termination?",
  "When was the museum built?",
  "How do I repair a leaking tap?",
  "What were the causes of the revolution?",
  "Explain the difference between two programming languages",
  "Which films did the director make?",
  "How old is the universe?",
  "What is the population of the city?",
  "Who is the current president of the company?",
  "How do I train a dog to sit?",
  "What are the side effects of the drug?",
  "Where can I buy cheap shoes?",
  "How does the engine of an aeroplane work?",
  "Give me a summary of the report",
  "What is the capital of the country?",
  "Should I invest in shares or in gold?",
  "How do plants make their food?",
  "What exercise is good for the back?",
  "Why is the sky blue?",
  "Find a good school for my children",
  "How do I write a cover letter?",
  "Which phone has the best camera?",
  "What laws apply to renting a flat?",
  "How many people died in the war?",
  "What are the rules of chess?",
  "Draw a picture of a house by the sea",
  "What colour goes well with dark green?",
  "How is steel made?",
  "Who painted this picture?",
  "What are the symptoms of the illness?",
  "When does the shop close?",
  "How do I grow tomatoes on a balcony?",
  "What happened in the news yesterday?",
  "Which planets have rings?",
  "How can I sleep better at night?",
];

/** Standard score that a normal variable exceeds with probability `tail`, in (0, 0.5]. Source: Abramowitz and Stegun, 26.2.23; error < 4.5e-4. */
export function upperQuantile(tail: number): number {
  const t = Math.sqrt(-2 * Math.log(tail));
  return (
    t -
    (2.515517 + 0.802853 * t + 0.010328 * t * t) / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t ** 3)
  );
}
