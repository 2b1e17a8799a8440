"""Programs and processes: started, waited for, born from one that has read the modules."""
